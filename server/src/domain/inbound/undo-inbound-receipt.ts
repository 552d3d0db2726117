import { endpoint } from '../../procedures/endpoint.ts'
import { readInbound, undoReceipt } from './inbound-calls.ts'
import { receiveInboundOutput, undoInboundReceiptInput } from './schemas.ts'

/** Undoes a receipt. Throws `not_found`, `inbound_error` when the delivery is over, and `adjustment_error` when stock is short. */
export const undoInboundReceipt = endpoint({
  name: 'inbound.undoReceipt',
  scope: 'write:stock',
  method: 'DELETE',
  path: '/inbound/{id}/receipts/{receipt_id}',
  summary: 'Undo a receipt',
  description: `Takes the goods of the receipt out of stock again, from the same location, with an \`OUT\` movement with the reason \`stock_receipt\`. Its lines are open again. Undoing an undone receipt succeeds and changes nothing.

The \`receipt_id\` cannot be used again: a late retry of the receipt receives nothing.`,
  errors: ['inbound_error', 'adjustment_error'],
  isAddition: true,
  inputOfOperator: ({ id }) => ({ operator_id: id }),
  input: undoInboundReceiptInput,
  output: receiveInboundOutput,
  run: (context, input) =>
    context.db.transaction(async (tx) => ({
      receipt: await undoReceipt({ ...context, db: tx }, input),
      inbound: await readInbound(tx, context.caller.tenantId, input.id),
    })),
})
