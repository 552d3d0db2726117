import { textEndpoint } from '../../procedures/endpoint.ts'
import { JsonText } from '../../procedures/json-text.ts'
import { receiveBack } from './return-calls.ts'
import { receiveReturnInput, receiveReturnOutput } from './schemas.ts'

/**
 * Receives goods of a return. Sending the receipt again changes nothing. Throws `not_found`, `validation_error`, `return_error`,
 * `idempotency_conflict`, and `adjustment_error` when the level would exceed the maximum.
 */
export const receiveReturn = textEndpoint({
  name: 'returns.receive',
  scope: 'write:orders',
  method: 'POST',
  path: '/returns/{id}/receipts',
  summary: 'Receive goods of a return',
  description: `Receives goods of the return, all or nothing. \`restock\` adds them to stock at a sellable location and \`quarantine\` at one that is not, with an \`IN\` movement with the reason \`return\` and the order's id; \`scrap\` changes no stock. A product fills its open lines in order; \`line_id\` fills only that line. A surplus or an unannounced product is a \`return_error\`. With \`allow_over\`, the surplus goes to the last line of the product, and an unannounced product gets a new line. More than was taken for the order is always refused.

A receipt with a \`receipt_id\` is safe to retry at any time: a repeated call changes nothing and returns the original receipt, even after the return was closed or the receipt undone. A \`receipt_id\` of another receipt of the return is an \`idempotency_conflict\`.`,
  errors: ['return_error', 'adjustment_error'],
  isAddition: true,
  inputOfOperator: ({ id }) => ({ operator_id: id }),
  input: receiveReturnInput,
  output: receiveReturnOutput,
  run: async (context, input) => {
    const { receipt, record } = await receiveBack(context, input)
    return new JsonText(`{"receipt":${receipt},"return":${record}}`)
  },
})
