import { ORDER_STATES } from '../order-states/index.ts'

/**
 * The `stock` of `settled` for a statement that cancels an order: where the transaction has returned the picks of its flow to. Its totals are
 * locked already; those of flows that others cancelled would be locked out of order.
 */
export const RETURNED_STOCK = `
  select p.product_id, v.warehouse_id
  from reserving r cross join changed_order o
  cross join lateral (
    select id from picking_flows where tenant_id = r.tenant_id and order_id = o.id and state = 'cancelled' and picking_flows.xmin = pg_current_xact_id()::xid offset 0
  ) f cross join lateral (
    select product_id, location_id from picks where tenant_id = r.tenant_id and flow_id = f.id and undone_at is null offset 0
  ) p cross join lateral (
    select warehouse_id from stock_levels
    where tenant_id = r.tenant_id and product_id = p.product_id and location_id = p.location_id limit 1
  ) v
  where o.state_id = ${ORDER_STATES.cancelled}`
