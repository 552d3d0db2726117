import { endpoint } from '../../procedures/endpoint.ts'
import { createInboundRecord, readInbound } from './inbound-calls.ts'
import { createInboundInput, inbound } from './schemas.ts'

/** Announces a delivery. Throws `validation_error` and `idempotency_conflict`. */
export const createInbound = endpoint({
  name: 'inbound.create',
  scope: 'write:stock',
  method: 'POST',
  path: '/inbound',
  summary: 'Announce an expected delivery',
  description: `Announces goods that a warehouse expects. They are \`incoming\` in \`GET /stock/availability\` until they are received or the delivery is over.

Sending the same delivery again with its \`reference\` changes nothing and returns its current state, at any later time. Different content with the same \`reference\` is an \`idempotency_conflict\`.`,
  isAddition: true,
  input: createInboundInput,
  output: inbound,
  run: ({ caller, db }, input) =>
    db.transaction(
      async (tx) => {
        const { supplier = null, ...record } = input
        const id = await createInboundRecord(tx, caller, {
          ...record,
          own: { supplier },
          ownOfLine: () => [],
          defaultWarehouseId: caller.defaultWarehouse.id,
          sent: [supplier],
          meant: [supplier],
        })
        return readInbound(tx, caller.tenantId, id)
      },
      { rows: input.lines.length },
    ),
})
