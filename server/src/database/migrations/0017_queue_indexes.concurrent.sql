-- Run statement by statement, outside a transaction: see build-indexes.ts.
-- squawk-ignore-file ban-concurrent-index-creation-in-transaction

-- The queue of orders to pick, in its order.
create index concurrently orders_to_pick on orders (tenant_id, assembly_date, id) where state_id in (1, 2);

-- The flows of an operator. The hash contains the tenant: a condition on tenant_id alone would let a plan read all flows of a large tenant.
create index concurrently picking_flows_by_operator on picking_flows (hashtextextended(fold_case(operator_email), tenant_id), state, id);
