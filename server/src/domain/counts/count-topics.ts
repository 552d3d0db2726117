import { z } from 'zod'
import { eventTopic } from '../../procedures/event-topics.ts'
import { returned } from '../../procedures/fields/response-fields.ts'

export const countState = z
  .enum(['counting', 'review', 'approved', 'cancelled'])
  .describe(
    '`counting`: entries are made. `review`: counting has ended, and nothing is posted yet. `approved`: the differences are posted. `cancelled`: nothing is posted.',
  )

export const countReference = z.string().nullable().describe("The client's own identifier; null if none was given.")

export const countUpdated = eventTopic({
  name: 'count/updated',
  data: z
    .object({
      count_id: z.int().describe('Id of the count.'),
      reference: countReference,
      warehouse_id: returned.warehouse_id,
      state: countState,
      previous_state: countState.nullable().describe('State before the call; null for a new count.'),
      lines_counted: z.int().describe('Number of lines that are counted.'),
      lines_different: z.int().nullable().describe('Number of lines with a variance; null until approved.'),
      updated_at: returned.updated_at,
    })
    .describe("A count's state changed."),
  sample: {
    count_id: 5,
    reference: 'CC-2026-48',
    warehouse_id: 1,
    state: 'approved',
    previous_state: 'review',
    lines_counted: 12,
    lines_different: 2,
    updated_at: '2026-12-01T08:15:30.000Z',
  },
})
