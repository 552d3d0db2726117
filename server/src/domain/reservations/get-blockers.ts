import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { isoTimestamp } from '../events/index.ts'
import { openQuantity, ORDER_STATE_NAMES, ORDER_STATES, type OrderStateId } from '../order-states/index.ts'
import { availabilityColumns, EXPIRED_HOLDS, incomingDeliveries, IS_READY } from '../reservation-core/index.ts'
import { type Blocker, getBlockersInput, getBlockersOutput } from './blocker-schemas.ts'
import { exact, type Level, problemsOf } from './blockers.ts'

type Backordered = Extract<Blocker, { code: 'backordered' }>

interface Line {
  id: number
  product_id: number
  product_name: string
  open: number
  backordered: number
  /** Null, like the next two, of a line without a backorder, or when there is none. */
  holders: Backordered['holders'] | null
  incoming: Backordered['incoming'] | null
  elsewhere: Backordered['elsewhere'] | null
}

interface Situation {
  state_id: OrderStateId
  /** Whether the reservations of all open orders are made. Until then, stock alone tells what can be picked. */
  is_ready: boolean
  flow: { flow_id: number; operator_email: string } | null
  lines: Line[] | null
  levels: Level[] | null
}

/** Entries of each list of a blocker. */
const MAX_ENTRIES = 10

/** Of the line `l` of the order `o`. */
const HOLDERS = `(
       select json_agg(h) from (
         (select r.product_id, r.warehouse_id, r.reserved::float8 as reserved_quantity, r.backordered::float8 as backordered_quantity, r.order_id,
            (select order_tenant_id from orders where tenant_id = $1 and id = r.order_id) as order_tenant_id, r.order_line_id as order_detail_id,
            r.assembly_date, null::bigint as hold_id, null::text as expires_at
          from order_reservations r
          where r.tenant_id = $1 and r.product_id = l.product_id and r.warehouse_id = o.warehouse_id and r.reserved > 0 and r.order_id <> o.id
          order by r.assembly_date, r.order_id, r.order_line_id limit ${MAX_ENTRIES})
         union all
         (select k.product_id, k.warehouse_id, k.reserved::float8, 0, null, null, null, null, k.hold_id, ${isoTimestamp('k.expires_at')}
          from hold_lines k
          where k.tenant_id = $1 and k.product_id = l.product_id and k.warehouse_id = o.warehouse_id and k.reserved > 0
            and k.expires_at > clock_timestamp()
          order by k.hold_id, k.line_number limit ${MAX_ENTRIES})
         limit ${MAX_ENTRIES}
       ) h
     )`
const INCOMING = incomingDeliveries('l.product_id', 'o.warehouse_id', MAX_ENTRIES)
const ELSEWHERE = `(
       select json_agg(json_build_object('warehouse_id', x.warehouse_id, 'available', x.available::float8) order by x.warehouse_id) from (
         select n.warehouse_id, n.available from (
           select w.warehouse_id, ${availabilityColumns('true')} from warehouse_stock w ${EXPIRED_HOLDS}
           where w.tenant_id = $1 and w.product_id = l.product_id and w.warehouse_id <> o.warehouse_id
         ) n where n.available > 0 order by n.warehouse_id limit ${MAX_ENTRIES}
       ) x
     )`

const readSituation = statement<[tenantId: number, orderId: number], Situation>({
  name: 'read_blockers',
  // A large order takes long.
  connection: 'slow',
  sql: `with chosen as materialized (
     select id, state_id, state_picking_id, warehouse_id, ${IS_READY} as is_ready from orders where tenant_id = $1 and id = $2
   ), line as materialized (
     select l.id, l.product_id, l.product_name, ${openQuantity('l')} as open, case when o.is_ready then coalesce(r.backordered, 0) else 0 end as backordered
     from chosen o join order_lines l on l.tenant_id = $1 and l.order_id = o.id
     left join order_reservations r on r.tenant_id = $1 and r.order_id = o.id and r.order_line_id = l.id
     where ${openQuantity('l')} > 0
   )
   select o.state_id, o.is_ready, (
     select json_build_object('flow_id', f.id, 'operator_email', f.operator_email) from picking_flows f
     where f.tenant_id = $1 and f.order_id = o.id and f.state = 'started'
   ) as flow, (
     select json_agg(json_build_object('id', l.id, 'product_id', l.product_id, 'product_name', l.product_name,
       'open', l.open::float8, 'backordered', l.backordered::float8,
       'holders', case when l.backordered > 0 then ${HOLDERS} end, 'incoming', case when l.backordered > 0 then ${INCOMING} end,
       'elsewhere', case when l.backordered > 0 then ${ELSEWHERE} end) order by l.id)
     from line l
   ) as lines, (
     select json_agg(json_build_object('product_id', v.product_id, 'location_id', v.location_id, 'quantity', v.quantity::float8, 'pickable', c.pickable)
       order by c.pick_sequence nulls last, v.location_id)
     from (select distinct product_id from line) p
     join stock_levels v on v.tenant_id = $1 and v.product_id = p.product_id and v.warehouse_id = o.warehouse_id and v.quantity > 0
     cross join lateral (select pickable, pick_sequence from locations where tenant_id = $1 and id = v.location_id limit 1) c
   ) as levels
   from chosen o`,
})

/** Why an order cannot be picked now. Throws `not_found`. */
export const getBlockers = endpoint({
  name: 'orders.blockers',
  scope: 'read:orders',
  method: 'GET',
  path: '/orders/{id}/blockers',
  summary: 'Get what blocks an order',
  description:
    'Reasons why the order cannot be picked now, under any reservation policy: its state, a running flow, lines that wait for stock or whose stock is at locations that are not pickable. `ready` is true when there is no reason. While `reservation_state` is `switching`, reservations are incomplete, and the response is the same as under the policy `off`.',
  isAddition: true,
  input: getBlockersInput,
  output: getBlockersOutput,
  run: async ({ db, caller }, { id }) => {
    const [situation] = await db.run(readSituation, [caller.tenantId, id])
    if (situation === undefined) throw new ServiceError('not_found', 'Order not found')
    const blockers = blockersOf(situation)
    return { order_id: id, ready: blockers.length === 0, blockers }
  },
})

function blockersOf({ state_id, is_ready: isReady, flow, lines, levels }: Situation): Blocker[] {
  if (state_id === ORDER_STATES.completed || state_id === ORDER_STATES.cancelled)
    return [{ code: 'order_over', message: `The order is ${ORDER_STATE_NAMES[state_id].toLowerCase()}`, state_id }]
  const open = (lines ?? []).map((line) => ({ ...line, wanted: exact(line.open - line.backordered) }))
  const problems = problemsOf(open, levels ?? [])
  const running: Blocker[] =
    flow === null ? [] : [{ code: 'flow_running', message: `${flow.operator_email} is picking the order`, ...flow }]
  return [
    ...running,
    ...open.flatMap((line) => {
      const { lacking = 0, notPickable = [] } = problems.get(line.id) ?? {}
      return [...backordered(line), ...(isReady ? [] : notInStock(line, lacking)), ...unpickable(line, notPickable)]
    }),
  ]
}

const ofLine = ({ id, product_id }: Line) => ({ order_detail_id: id, product_id })

function backordered(line: Line): Blocker[] {
  const { backordered: quantity, holders, incoming, elsewhere } = line
  if (quantity <= 0) return []
  const lists = { holders: holders ?? [], incoming: incoming ?? [], elsewhere: elsewhere ?? [] }
  return [
    { code: 'backordered', message: `${line.product_name}: ${quantity} waiting for stock`, ...ofLine(line), quantity, ...lists },
  ]
}

function notInStock(line: Line, quantity: number): Blocker[] {
  if (quantity <= 0) return []
  return [{ code: 'not_in_stock', message: `${line.product_name}: ${quantity} not in stock`, ...ofLine(line), quantity }]
}

function unpickable(line: Line, locations: { location_id: string; quantity: number }[]): Blocker[] {
  if (locations.length === 0) return []
  const quantity = exact(locations.reduce((sum, location) => sum + location.quantity, 0))
  const message = `${line.product_name}: ${quantity} only at locations that are not pickable`
  return [{ code: 'not_pickable', message, ...ofLine(line), quantity, locations }]
}
