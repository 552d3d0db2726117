import { eventData } from '../events/index.ts'
import { IS_RESERVING } from './availability.ts'
import { reservationUpdated } from './reservation-topics.ts'

/** The CTE `reserving`: one row (tenant_id, phase) while the tenant `$1` reserves, none under the policy `off`. Read in the statement: no cache is ever out of date. */
export const RESERVING = `reserving as materialized (
  select tenant_id, reservation_phase as phase from tenant_settings where tenant_id = $1 and reservation_policy <> 'off'
)`

/** The `lines` of `settled` for a statement that changes none and has not locked the totals: given lines, the function locks them itself. */
export const NO_LINES = 'select null::bigint as order_id, null::bigint as order_line_id, false as from_elsewhere'

/** What a statement settles. Each is a query over CTEs that have made the change. One of the two is needed. */
interface Settled {
  /** Columns `product_id`, `warehouse_id`: what changed in stock. Their totals are locked. */
  stock?: string
  /**
   * Columns `order_id`, `order_line_id` (null for all lines) and `from_elsewhere`: lines whose open quantity may have changed, of orders
   * that are locked or new. For new orders also `hold_id`: the hold that the order takes over, or null.
   */
  lines?: string
  /** Whether the orders are new. They take only what nobody waits for. */
  areNew?: boolean
}

const EVENT = eventData(reservationUpdated, {
  order_id: 's.order_id',
  order_tenant_id: 's.order_tenant_id',
  warehouse_id: 's.warehouse_id',
  status: 's.status',
  previous_status: 's.previous_status',
  reserved_quantity: 's.reserved_quantity::float8',
  backordered_quantity: 's.backordered_quantity::float8',
  updated_at: 's.updated_at',
})

/** After all other events of a statement. */
const AFTER_OTHERS = '1000000000000000000'

/**
 * CTEs that settle reservations after a change, while the tenant reserves. With `lines`, they need `RESERVING`. The arrays are made of the rows of the
 * change, so it is done before the function that settles begins: docs/decisions/0022-reservations.md has its steps. Result: `reservation_event`
 * (position, topic, data).
 *
 * Under the policy `off` the function is not called: its call depends on `reserving`, or on a condition that is checked first.
 */
export function settled({ stock, lines, areNew = false }: Settled): string {
  if (lines === undefined) return `${settledStock(stock as string)}, ${RESERVATION_EVENT}`
  const relations = [
    stock && `(select array_agg(product_id) as products, array_agg(warehouse_id) as warehouses from (${stock}) x) p`,
    `(select array_agg(order_id) as orders, array_agg(order_line_id) as lines, array_agg(from_elsewhere) as from_elsewhere${areNew ? ', array_agg(hold_id) as holds' : ''} from (${lines}) x) l`,
  ].filter((relation) => relation !== undefined)
  const pairs = stock === undefined ? 'null, null' : 'p.products, p.warehouses'
  return `
settled as materialized (
  select s.* from reserving r, ${relations.join(', ')},
    settle_reservations(r.tenant_id, ${pairs}, l.orders, l.lines, l.from_elsewhere${areNew ? ', true, l.holds' : ''}) s
), ${RESERVATION_EVENT}`
}

/** Without `RESERVING`, and with half the nodes in the plan, which every change of stock pays for. The function does nothing either under `off`. */
function settledStock(stock: string): string {
  return `
settled as materialized (
  select s.* from settle_reservations(
    $1, array(select product_id from (${stock}) p), array(select warehouse_id from (${stock}) p), null, null, null
  ) s
  where ${IS_RESERVING}
)`
}

const RESERVATION_EVENT = `reservation_event as (
  select ${AFTER_OTHERS} + order_id as position, 'reservation/updated' as topic, ${EVENT} as data from settled s
)`

/** A relation for `recordEvents`: the events of `source`, then those of reservations. */
export function withReservationEvents(source: string): string {
  return `(select position, topic, data from ${source} union all select position, topic, data from reservation_event) e`
}
