-- How often flows were assigned to another operator, which is a change of a flow without an event. Pages see by it that there was one.
create table flow_assignments (
  tenant_id bigint primary key,
  count bigint not null
);
