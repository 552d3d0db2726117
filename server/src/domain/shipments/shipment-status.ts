import type { z } from 'zod'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ORDER_STATES, takenOf, unpicked } from '../order-states/index.ts'
import type { shipmentStatus } from './shipment-topics.ts'

type ShipmentStatus = z.infer<typeof shipmentStatus>

/** Orders with more lines are read on a `slow` connection: on the shared ones they would hold up other requests. */
const FEW_LINES = 500

/**
 * SQL for the shipment status of an order `o`; null if it has no shipment that is not cancelled. `shipments` is a query with the columns
 * `state` and `total_quantity` of its shipments, `isCompleted` is SQL. No line is ever packed more than it was taken, so sums are enough.
 */
export const statusOf = (shipments: string, isCompleted = `o.state_id = ${ORDER_STATES.completed}`): string => `(
       select case
         when s.shipments = 0 then null
         when s.shipped = 0 then 'packing'
         when not ${isCompleted} then 'partial'
         else case (
           select sum(${takenOf('o', 'x', 'u.is_unpicked')})
           from (select ${unpicked('o')} as is_unpicked offset 0) u cross join order_lines x where x.tenant_id = $1 and x.order_id = o.id
         )
           when s.delivered then 'delivered' when s.shipped then 'shipped' else 'partial'
         end
       end
       from (
         select count(*) filter (where state <> 'cancelled') as shipments,
           coalesce(sum(total_quantity) filter (where state in ('shipped', 'delivered')), 0) as shipped,
           coalesce(sum(total_quantity) filter (where state = 'delivered'), 0) as delivered
         from (${shipments}) n
       ) s
     )`

/** The order is the one that the caller has read: a later state of it would not fit the rest of the response. */
const selectStatuses = statement<
  [tenantId: number, orderIds: number[], areCompleted: boolean[]],
  { status: ShipmentStatus | null }
>({
  name: 'get_shipment_statuses',
  connection: 'read',
  sql: `select ${statusOf('select state, total_quantity from shipments where tenant_id = $1 and order_id = w.id', 'w.is_completed')} as status
   from unnest($2::bigint[], $3::boolean[]) with ordinality w (id, is_completed, position)
   cross join lateral (select id, state_id, state_picking_id from orders where tenant_id = $1 and id = w.id limit 1) o
   order by w.position`,
})

/** An order as a read has it; all are null in a row that is none. */
interface ReadOrder {
  id: number | null
  state_id: number | null
  items_count: number | null
  has_shipments: boolean | null
}

/** Shipment statuses by the id of the order. Orders without a shipment that is not cancelled have none. */
export type ShipmentStatuses = ReadonlyMap<number | null, ShipmentStatus>

const NONE: ShipmentStatuses = new Map()

/**
 * The shipment statuses of orders that were read. Only for those that ever had a shipment, a further statement is run: within the statement
 * of the read, looking for shipments would cost every tenant.
 */
export async function shipmentStatuses(db: Queryable, tenantId: number, orders: readonly ReadOrder[]): Promise<ShipmentStatuses> {
  const having = orders.filter(({ has_shipments }) => has_shipments === true)
  if (having.length === 0) return NONE
  const lines = having.reduce((sum, { items_count: count }) => sum + (count ?? 0), 0)
  const rows = await db.run(
    selectStatuses,
    [tenantId, having.map(({ id }) => id as number), having.map(({ state_id: state }) => state === ORDER_STATES.completed)],
    lines > FEW_LINES ? { connection: 'slow' } : {},
  )
  return new Map(having.flatMap(({ id }, index) => statusIn(rows[index]?.status, id)))
}

const statusIn = (status: ShipmentStatus | null | undefined, id: number | null): [number | null, ShipmentStatus][] =>
  status === null || status === undefined ? [] : [[id, status]]

/** The field that an order has once it has a shipment that is not cancelled. */
export function shownShipmentStatus(statuses: ShipmentStatuses, id: number): { shipment_status?: ShipmentStatus } {
  const status = statuses.get(id)
  return status === undefined ? {} : { shipment_status: status }
}
