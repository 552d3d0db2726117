import { z } from 'zod'
import { eventTopic } from '../../procedures/event-topics.ts'
import { id } from '../../procedures/fields/fields.ts'
import { returned } from '../../procedures/fields/response-fields.ts'
import { recordFields, recordState } from '../receiving/index.ts'

/** The order that goods come back from. */
export const orderOfReturn = {
  order_id: id.nullable().describe('Id of the order; null for a return without one.'),
  order_tenant_id: z.string().nullable().describe("The client's own identifier of the order; null for a return without one."),
}

export const returnUpdated = eventTopic({
  name: 'return/updated',
  data: z
    .object({
      return_id: z.int().describe('Id of the return.'),
      reference: recordFields.reference,
      ...orderOfReturn,
      warehouse_id: returned.warehouse_id,
      state: recordState,
      previous_state: recordState.nullable().describe('State before the call; null for a new return.'),
      total_quantity: recordFields.total_quantity,
      total_received: recordFields.total_received,
      updated_at: returned.updated_at,
    })
    .describe("A return's state changed."),
  sample: {
    return_id: 31,
    reference: 'RMA-77',
    order_id: 4711,
    order_tenant_id: 'SO-10023',
    warehouse_id: 1,
    state: 'receiving',
    previous_state: 'expected',
    total_quantity: 2,
    total_received: 1,
    updated_at: '2026-12-01T08:15:30.000Z',
  },
})
