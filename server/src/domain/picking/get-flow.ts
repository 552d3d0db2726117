import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { flowColumns, type FlowRow, shownFlow } from './flow-columns.ts'
import { lineFields, type LineRow, shownLine, toleranceFields } from './line-fields.ts'
import { flowNotFound } from './order-lock.ts'
import { pickJson, type PickRow, shownPick } from './pick-row.ts'
import { getFlowOutput, flowId, type LineTolerance, type LineToPick, MAX_LOCATIONS } from './schemas.ts'

/**
 * Where the products of the order lie: once for each product, not for each line, and only the first locations. An order can have 1,000 lines of
 * one product, which can be at thousands of locations.
 */
const LEVELS = `(
     select coalesce(json_agg(json_build_object('product_id', p.product_id, 'locations', (
       select coalesce(json_agg(json_strip_nulls(json_build_object('location_id', v.location_id, 'location_code', v.code, 'quantity', v.quantity, 'pick_sequence', v.pick_sequence)) order by v.pick_sequence nulls last, v.location_id), '[]')
       from (
         select v.location_id, c.code, v.quantity, c.pick_sequence
         from stock_levels v join locations c on c.tenant_id = $1 and c.id = v.location_id
         where v.tenant_id = $1 and v.product_id = p.product_id and v.warehouse_id = o.warehouse_id and v.quantity > 0 and c.pickable
         order by c.pick_sequence nulls last, v.location_id limit ${MAX_LOCATIONS}
       ) v
     ))), '[]')
     from (select distinct product_id from order_lines where tenant_id = $1 and order_id = o.id) p
   )`

/** All barcodes of the product, if it has additional ones. */
const BARCODES = `(
  select json_build_array(json_build_object('barcode', (select barcode from products where tenant_id = $1 and id = l.product_id), 'quantity', 1))::jsonb
    || jsonb_agg(jsonb_build_object('barcode', b.barcode, 'quantity', b.quantity) order by b.id)
  from product_barcodes b where b.tenant_id = $1 and b.product_id = l.product_id having count(*) > 0
)`

const TOLERANCE = toleranceFields('l', 'l.picked_quantity', 'null')

type Locations = LineToPick['locations']
type Line = Omit<LineRow<LineToPick, LineTolerance>, 'barcodes' | 'locations'> & { barcodes: LineToPick['barcodes'] | null }
type Row = FlowRow & { lines: Line[]; levels: { product_id: number; locations: Locations }[]; picks: PickRow[] }

const selectFlow = statement<[tenantId: number, flowId: number], Row>({
  name: 'get_flow',
  // A large order takes long.
  connection: 'slow',
  // An order has at least one line.
  notNull: ['lines'],
  sql: `select ${flowColumns('f', 'o')}, (
     select json_agg(json_build_object(${lineFields('l', 'l.picked_quantity')}, 'barcodes', ${BARCODES}, 'tolerance', ${TOLERANCE}) order by l.id)
     from order_lines l where l.tenant_id = $1 and l.order_id = f.order_id
   ) as lines, ${LEVELS} as levels, (
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
    const [flow] = await context.db.run(selectFlow, [context.caller.tenantId, input.id])
    if (flow === undefined) throw flowNotFound()
    const locationsOf = new Map(flow.levels.map(({ product_id, locations }) => [product_id, locations]))
    const lines = flow.lines.map((line) => shownLineToPick(line, locationsOf.get(line.product_id) ?? []))
    return { ...shownFlow(flow), lines, picks: flow.picks.map(shownPick) }
  },
})

function shownLineToPick({ barcodes, ...line }: Line, locations: Locations): LineToPick {
  const shown = shownLine<Omit<LineToPick, 'barcodes'>, LineTolerance>({ ...line, locations })
  return barcodes === null ? shown : { ...shown, barcodes }
}
