import { endpoint } from '../../procedures/endpoint.ts'
import { readReturn, undoReceipt } from './return-calls.ts'
import { receiveReturnOutput, undoReturnReceiptInput } from './schemas.ts'

/** Undoes a receipt. Throws `not_found`, `return_error` when the return is over, and `adjustment_error` when stock is short. */
export const undoReturnReceipt = endpoint({
  name: 'returns.undoReceipt',
  scope: 'write:orders',
  method: 'DELETE',
  path: '/returns/{id}/receipts/{receipt_id}',
  summary: 'Undo a receipt of a return',
  description: `Takes the goods of the receipt out of stock again, from the same location, with an \`OUT\` movement with the reason \`return\`; \`scrap\` changed no stock. Its lines are open again. Undoing an undone receipt succeeds and changes nothing.

The \`receipt_id\` cannot be used again: a late retry of the receipt receives nothing.`,
  errors: ['return_error', 'adjustment_error'],
  isAddition: true,
  inputOfOperator: ({ id }) => ({ operator_id: id }),
  input: undoReturnReceiptInput,
  output: receiveReturnOutput,
  run: (context, input) =>
    context.db.transaction(async (tx) => ({
      receipt: await undoReceipt({ ...context, db: tx }, input),
      return: await readReturn(tx, context.caller.tenantId, input.id),
    })),
})
