import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { flowColumns, type FlowRow, shownFlow } from './flow-columns.ts'
import { lineFields, type LineRow, shownLine, toleranceFields } from './line-fields.ts'
import { flowNotFound } from './lock-order.ts'
import { pickJson, type PickRow, shownPick } from './pick-row.ts'
import { getFlowOutput, flowId, type LineTolerance, type LineToPick } from './schemas.ts'

const LOCATIONS = `(
  select coalesce(json_agg(json_strip_nulls(json_build_object('location_id', v.location_id, 'location_code', c.code, 'quantity', v.quantity, 'pick_sequence', c.pick_sequence)) order by c.pick_sequence nulls last, v.location_id), '[]')
  from stock_levels v join locations c on c.tenant_id = $1 and c.id = v.location_id
  where v.tenant_id = $1 and v.product_id = l.product_id and v.warehouse_id = o.warehouse_id and v.quantity > 0 and c.pickable
)`

/** All barcodes of the product, if it has additional ones. */
const BARCODES = `(
  select json_build_array(json_build_object('barcode', (select barcode from products where tenant_id = $1 and id = l.product_id), 'quantity', 1))::jsonb
    || jsonb_agg(jsonb_build_object('barcode', b.barcode, 'quantity', b.quantity) order by b.id)
  from product_barcodes b where b.tenant_id = $1 and b.product_id = l.product_id having count(*) > 0
)`

const TOLERANCE = toleranceFields('l', 'l.picked_quantity', 'null')

type Line = Omit<LineRow<LineToPick, LineTolerance>, 'barcodes'> & { barcodes: LineToPick['barcodes'] | null }
type Row = FlowRow & { lines: Line[]; picks: PickRow[] }

const selectFlow = statement<[tenantId: number, flowId: number], Row>({
  name: 'get_flow',
  connection: 'slow',
  // An order has at least one line.
  notNull: ['lines'],
  sql: `select ${flowColumns('f', 'o')}, (
     select json_agg(json_build_object(${lineFields('l', 'l.picked_quantity')}, 'barcodes', ${BARCODES}, 'locations', ${LOCATIONS}, 'tolerance', ${TOLERANCE}) order by l.id)
     from order_lines l where l.tenant_id = $1 and l.order_id = f.order_id
   ) as lines, (
     select coalesce(json_agg(${pickJson('p')} order by p.movement_id), '[]')
     from picks p where p.tenant_id = $1 and p.flow_id = f.id and p.undone_at is null
   ) as picks
   from picking_flows f join orders o on o.tenant_id = $1 and o.id = f.order_id
   where f.tenant_id = $1 and f.id = $2`,
})

/** One flow with its picks, the order's lines and the stock of their products. Throws `not_found`. */
export const getFlow = endpoint({
  name: 'flows.get',
  scope: 'read:orders',
  method: 'GET',
  path: '/flows/{id}',
  summary: 'Get a picking flow',
  description: `One flow with its picks and all lines of the order. Each line has the quantity left to pick and the current stock of its product at pickable locations of the order's warehouse, in pick order. Undone picks are excluded; picks of a cancelled flow are included, although they returned to stock.`,
  isAddition: true,
  input: flowId,
  output: getFlowOutput,
  run: async (context, input) => {
    // A large order takes a long time.
    const [flow] = await context.db.run(selectFlow, [context.caller.tenantId, input.id])
    if (flow === undefined) throw flowNotFound()
    return { ...shownFlow(flow), lines: flow.lines.map(shownLineToPick), picks: flow.picks.map(shownPick) }
  },
})

function shownLineToPick({ barcodes, ...line }: Line): LineToPick {
  const shown = shownLine<Omit<LineToPick, 'barcodes'>, LineTolerance>(line)
  return barcodes === null ? shown : { ...shown, barcodes }
}
