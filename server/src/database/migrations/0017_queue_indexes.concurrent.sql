-- Run statement by statement, outside a transaction: see build-indexes.ts.
-- squawk-ignore-file ban-concurrent-index-creation-in-transaction

-- The queue of orders to pick, in its order.
create index concurrently orders_to_pick on orders (tenant_id, assembly_date, id) where state_id in (1, 2);

-- The flows of an operator.
create index concurrently picking_flows_by_operator on picking_flows (tenant_id, fold_case(operator_email), state, id);
