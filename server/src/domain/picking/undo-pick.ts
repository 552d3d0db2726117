import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { recordEvents } from '../events/index.ts'
import { lockedOrder } from '../order-states/index.ts'
import { settled, withReservationEvents } from '../reservation-core/index.ts'
import { applyStockChanges, SETTLED_STOCK } from '../stock/index.ts'
import { lineFields, type LineRow, shownLine, toleranceFields } from './line-fields.ts'
import { flowNotFound, orderOfFlow } from './order-lock.ts'
import { foreignFlow, requiredOperator } from './own-flow.ts'
import { countPicks } from './pick-counts.ts'
import { pickJson, type PickRow, shownPick } from './pick-row.ts'
import { type LineTolerance, type PickedLine, pickResult, type PickingFlow, undoPickInput } from './schemas.ts'

interface Row {
  state: PickingFlow['state']
  operator_email: string
  /** Whether the caller may change the flow. */
  is_own: boolean
  is_undone: boolean | null
  pick: PickRow | null
  lines: LineRow<PickedLine, LineTolerance>[]
}

/** Fields of a line `l` after the undo. */
const LINE_AFTER = `${lineFields('l', '(l.picked_quantity - l.returned)')}, 'tolerance', ${toleranceFields('l', '(l.picked_quantity - l.returned)', 'null')}`

const undo = statement<
  [tenantId: number, flowId: number, pickId: string, defaultWarehouseId: number, createdBy: string, operatorEmail: string | null],
  Row
>({
  name: 'undo_pick',
  connection: 'write',
  // The parameter is compared only where it is not null.
  notNull: ['is_own'],
  sql: `with ${lockedOrder(`id = ${orderOfFlow('$2')}`)}, locked_flow as materialized (
     select f.order_id, f.state, f.operator_id, f.operator_email,
       $6::text is null or fold_case(f.operator_email) = fold_case($6) as is_own
     from locked_order o join picking_flows f on f.tenant_id = $1 and f.id = $2 and f.order_id = o.id
     for no key update of f
   ), locked_pick as materialized (
     select p.*, f.state = 'started' and f.is_own and p.undone_at is null as is_due
     from locked_flow f join picks p on p.tenant_id = $1 and p.flow_id = $2 and p.id = $3::text
     for no key update of p
   ), locked_line as materialized (
     select l.*, case when p.is_due then x.taken else 0 end as returned
     from locked_pick p cross join jsonb_to_recordset(p.lines) x (order_detail_id bigint, taken numeric)
     join order_lines l on l.tenant_id = $1 and l.order_id = ${orderOfFlow('$2')} and l.id = x.order_detail_id
     order by l.id for no key update of l
   ), stock_change as materialized (
     select 1 as position, p.product_id, p.location_id, p.quantity as amount, 'IN' as movement_type, 'return' as reason,
       f.operator_id as user_id, f.order_id, null::text as other_location_id, p.flow_id, p.id as pick_id
     from locked_pick p cross join locked_flow f where p.is_due
   ), ${applyStockChanges({
     source: 'stock_change',
     rows: 'apart',
     amount: 'relative',
     eventReason: 'return',
     defaultWarehouse: '$4::bigint',
     createdBy: '$5::text',
     areOfPicks: true,
     totalsOfLines:
       'select p.product_id, o.warehouse_id from reserving cross join locked_pick p cross join locked_order o where p.is_due',
   })}, reopened_line as (
     update order_lines l set picked_quantity = x.picked_quantity - x.returned
     from stock_movement m cross join locked_line x
     where l.tenant_id = $1 and l.order_id = ${orderOfFlow('$2')} and l.id = x.id
     returning l.order_id, l.id as order_line_id
   ), undone_pick as (
     update picks p set undone_at = m.created_at from stock_movement m where p.tenant_id = $1 and p.flow_id = $2 and p.id = $3
     returning p.created_at, p.quantity, p.operator_email
   ), ${countPicks('undone_pick', -1)}, changed_flow as (
     update picking_flows f
     set items_picked = f.items_picked - x.items, total_quantity_picked = f.total_quantity_picked - m.quantity, revision = f.revision + 1
     from stock_movement m cross join (
       select count(*) filter (where picked_quantity - returned = picked_before_flow) as items from locked_line
     ) x
     where f.tenant_id = $1 and f.id = $2
   ), ${settled({
     stock: SETTLED_STOCK,
     lines: 'select order_id, order_line_id, false as from_elsewhere from reopened_line',
   })}, ${recordEvents(withReservationEvents('stock_event'))}
   select f.state, f.operator_email, f.is_own, m.id is not null or p.undone_at is not null as is_undone, case when p.id is not null then ${pickJson('p')} end as pick, (
     select coalesce(json_agg(json_build_object(${LINE_AFTER}) order by l.id), '[]') from locked_line l
   ) as lines
   from locked_flow f left join locked_pick p on true left join stock_movement m on true`,
})

/**
 * Undoes a pick of a running flow: the quantity returns to its location. Undoing an undone pick changes nothing. Throws `not_found`,
 * `flow_error` when the flow is over or another operator's, and `adjustment_error` when the location cannot hold that much.
 */
export const undoPick = endpoint({
  name: 'flows.undoPick',
  scope: 'write:orders',
  method: 'DELETE',
  path: '/flows/{id}/picks/{pick_id}',
  summary: 'Undo a pick',
  description: `Returns the picked quantity to its location, with an \`IN\` movement with the reason \`return\` and the stock events. The flow must be running. The quantity can be picked again. Undoing an undone pick succeeds and changes nothing.

The \`pick_id\` cannot be used again: a late retry of the pick does not take the stock a second time.`,
  errors: ['flow_error', 'adjustment_error'],
  isAddition: true,
  input: undoPickInput,
  output: pickResult,
  run: async ({ db, caller }, input) => {
    const { tenantId, defaultWarehouse, keyName } = caller
    const row = await db.runOne(undo, [tenantId, input.id, input.pick_id, defaultWarehouse.id, keyName, requiredOperator(caller)])
    if (row === undefined) throw flowNotFound()
    if (!row.is_own && row.is_undone !== true) throw await foreignFlow(db, caller, row.operator_email)
    if (row.pick === null) throw new ServiceError('not_found', 'Pick not found')
    if (row.is_undone !== true)
      throw new ServiceError('flow_error', `The picking flow is ${row.state}; its picks can no longer be undone`)
    return { pick: shownPick(row.pick), lines: row.lines.map(shownLine) }
  },
})
