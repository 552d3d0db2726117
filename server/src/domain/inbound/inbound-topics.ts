import { z } from 'zod'
import { eventTopic } from '../../procedures/event-topics.ts'
import { returned } from '../../procedures/fields/response-fields.ts'
import { recordFields, recordState } from '../receiving/index.ts'

export const inboundUpdated = eventTopic({
  name: 'inbound/updated',
  data: z
    .object({
      inbound_id: z.int().describe('Id of the delivery.'),
      reference: recordFields.reference,
      warehouse_id: returned.warehouse_id,
      state: recordState,
      previous_state: recordState.nullable().describe('State before the call; null for a new delivery.'),
      total_quantity: recordFields.total_quantity,
      total_received: recordFields.total_received,
      expected_at: recordFields.expected_at,
      updated_at: returned.updated_at,
    })
    .describe("An expected delivery's state changed."),
  sample: {
    inbound_id: 208,
    reference: 'PO-2044',
    warehouse_id: 1,
    state: 'receiving',
    previous_state: 'expected',
    total_quantity: 24,
    total_received: 12,
    expected_at: '2026-12-01',
    updated_at: '2026-12-01T08:15:30.000Z',
  },
})
