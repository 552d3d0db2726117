import { textEndpoint } from '../../procedures/endpoint.ts'
import { JsonText } from '../../procedures/json-text.ts'
import { receiveGoods } from './inbound-calls.ts'
import { receiveInboundInput, receiveInboundOutput } from './schemas.ts'

/**
 * Receives goods of a delivery. Sending the receipt again changes nothing. Throws `not_found`, `validation_error`, `inbound_error`,
 * `idempotency_conflict`, and `adjustment_error` when the level would exceed the maximum.
 */
export const receiveInbound = textEndpoint({
  name: 'inbound.receive',
  scope: 'write:stock',
  method: 'POST',
  path: '/inbound/{id}/receipts',
  summary: 'Receive goods',
  description: `Adds goods of the delivery to stock at a location, all or nothing, with an \`IN\` movement with the reason \`stock_receipt\`. A product fills its open lines in order; \`line_id\` fills only that line. A surplus or an unannounced product is an \`inbound_error\`. With \`allow_over\`, the surplus goes to the last line of the product, and an unannounced product gets a new line.

A receipt with a \`receipt_id\` is safe to retry at any time: a repeated call changes nothing and returns the original receipt, even after the delivery was closed or the receipt undone. A \`receipt_id\` of another receipt of the delivery is an \`idempotency_conflict\`.`,
  errors: ['inbound_error', 'adjustment_error'],
  isAddition: true,
  inputOfOperator: ({ id }) => ({ operator_id: id }),
  input: receiveInboundInput,
  output: receiveInboundOutput,
  run: async (context, input) => {
    const { receipt, record } = await receiveGoods(context, input)
    return new JsonText(`{"receipt":${receipt},"inbound":${record}}`)
  },
})
