import { eventData } from '../events/index.ts'
import type { ReceivingKind } from '../receiving/index.ts'
import { inboundUpdated } from './inbound-topics.ts'
import { inboundLine, inboundReceipt, inboundSummary } from './schemas.ts'

/** Expected deliveries: what they lack is `incoming`. */
export const INBOUND: ReceivingKind = {
  name: 'inbound',
  tables: { records: 'inbound', lines: 'inbound_lines', receipts: 'inbound_receipts' },
  errorCode: 'inbound_error',
  noun: 'delivery',
  reason: 'stock_receipt',
  schemas: { record: inboundSummary, line: inboundLine, receipt: inboundReceipt },
  recordFields: { supplier: 'r.supplier' },
  lineFields: {},
  receiptFields: () => ({}),
  recordColumns: { supplier: 'text' },
  lineColumns: {},
  changeable: { expected_at: 'date', supplier: 'text', allow_over: 'boolean' },
  copiedColumns: ['warehouse_id'],
  filters: {
    state: { type: 'text', condition: 'r.state = ?' },
    warehouse_id: { type: 'bigint', condition: 'r.warehouse_id = ?' },
    reference: { type: 'text', condition: 'r.reference = ?' },
    product_id: {
      type: 'bigint',
      condition: 'r.id in (select record_id from inbound_lines where tenant_id = $1 and product_id = ?)',
    },
  },
  updated: (previousState, now = {}) =>
    eventData(inboundUpdated, {
      inbound_id: 'r.id',
      reference: 'r.reference',
      warehouse_id: 'r.warehouse_id',
      state: now.state ?? 'r.state',
      previous_state: previousState,
      total_quantity: 'r.total_quantity::float8',
      total_received: `${now.total_received ?? 'r.total_received'}::float8`,
      expected_at: 'r.expected_at',
      updated_at: now.updated_at ?? 'r.updated_at',
    }),
  receive: {
    isSame: '',
    refusedLocations: '',
    refusedQuantities: '',
    isStocked: 'true',
    orderId: 'null::bigint',
    addedToLine: () => ({}),
    otherLineChanges: (amount) => `, is_open = l.received + ${amount} < l.quantity`,
    newLine: { warehouse_id: 'm.warehouse_id', is_open: 'false' },
    receiptColumns: [],
  },
  // All lines: an undo of a receipt that this waited for opens lines that were not open when it began, and that it would not find as open.
  endLines: `ended_line as (
     update inbound_lines l set is_open = false from ended where l.tenant_id = $1 and l.record_id = $2
   ), `,
}
