-- Who started a flow that was given to somebody else since. Null for flows that were not. Of one that was given away
-- before this version, or by a process of an earlier one during an upgrade, the operator who had it at the first change since.
alter table picking_flows add column first_operator_email text;
