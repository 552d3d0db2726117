import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { LINES_OF_PIECE, piecesOfLines } from '../../procedures/pieces-of-lines.ts'
import { listingOf } from '../records/index.ts'
import { listShipmentsInput, listShipmentsOutput, type Shipment } from './schemas.ts'
import { SHIPMENT_JSON } from './shipment-json.ts'

/** A page with more lines has no shipments yet, but says how many lines each of them has. */
type Listed = Shipment | { id: number; line_count: number }

const FILTERS = {
  state: { type: 'text', condition: 'r.state = ?' },
  order_id: { type: 'bigint', condition: 'r.order_id = ?' },
  reference: { type: 'text', condition: 'r.reference = ?' },
  tracking_number: {
    type: 'text',
    condition: 'r.id in (select record_id from shipment_packages where tenant_id = $1 and tracking_number = ?)',
  },
}

/** A list that is read by the index of this filter; without one, in its order. */
const listingBy = (required?: keyof typeof FILTERS) =>
  listingOf<Listed>({
    name: required === undefined ? 'list_shipments' : `list_shipments_by_${required}`,
    table: 'shipments',
    filters: FILTERS,
    required,
    json: `case when sum(r.line_count) over () <= ${LINES_OF_PIECE} then ${SHIPMENT_JSON} else json_build_object('id', r.id, 'line_count', r.line_count) end`,
  })

// The most selective first.
const BY = {
  reference: listingBy('reference'),
  tracking_number: listingBy('tracking_number'),
  order_id: listingBy('order_id'),
}
const inOrder = listingBy()

const selectPiece = statement<[tenantId: number, ids: number[]], { shipment: Shipment }>({
  name: 'list_shipments_piece',
  connection: 'slow',
  sql: `select ${SHIPMENT_JSON} as shipment from shipments r
   where r.tenant_id = $1 and r.id = any ($2::bigint[]) order by r.created_at desc, r.id desc`,
})

/** Shipments, newest first. A page with very many lines is sent in pieces, each as of the time it is read. */
export const listShipments = endpoint({
  name: 'shipments.list',
  scope: 'read:orders',
  method: 'GET',
  path: '/shipments',
  summary: 'List shipments',
  description: 'Newest first, with their packages. Filters can be combined. `total` is exact.',
  isAddition: true,
  readsReplica: true,
  input: listShipmentsInput,
  output: listShipmentsOutput,
  run: async ({ db, caller, respondInPieces }, query) => {
    const filter = (Object.keys(BY) as (keyof typeof BY)[]).find((name) => query[name] !== undefined)
    const list = filter === undefined ? inOrder : BY[filter]
    const { records, pagination } = await list(db, caller.tenantId, query)
    const shipments = records.filter((record) => 'packages' in record)
    const isLarge = shipments.length < records.length
    if (isLarge)
      respondInPieces({
        field: 'shipments',
        db,
        pieces: piecesOfLines(records, (record) => ('line_count' in record ? record.line_count : 0)),
        read: (source, ids) => readPiece(source, caller.tenantId, ids),
      })
    return { shipments, pagination }
  },
})

async function readPiece(db: Queryable, tenantId: number, ids: number[]): Promise<Shipment[]> {
  return (await db.run(selectPiece, [tenantId, ids])).map(({ shipment }) => shipment)
}
