import { z } from 'zod'
import { since, until } from '../events/index.ts'
import { cursorQuery, oneCursor, pageQuery, queryInteger, text, timestamp } from '../fields.ts'

const CURSOR = /^(\d{1,13})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

const entryCursor = z
  .string()
  .regex(CURSOR, 'must be the next_cursor of an answer')
  .transform((cursor) => {
    const [, at, id] = CURSOR.exec(cursor) as unknown as [string, string, string]
    return { at: new Date(Number(at)), id }
  })

export const auditLogQuery = z
  .object({
    ...cursorQuery(entryCursor, 'Go on behind this entry: the `next_cursor` of the answer before.'),
    limit: pageQuery.limit,
    key_id: queryInteger().optional().describe('Only calls with this API key.'),
    operation: text(255)
      .optional()
      .describe('Only this operation, by its `operationId`.')
      .meta({ examples: ['stock.adjust'] }),
    request_id: text(255).optional().describe('Only the request with this `X-Request-Id`.'),
    since: since.optional().describe('A date or a timestamp: calls from then on.'),
    until: until.optional().describe('A date or a timestamp: calls until its end.'),
  })
  .refine(...oneCursor)
  .transform((query) => ({ ...query, after: query.cursor ?? query.after }))

const auditEntry = z
  .object({
    id: z.string(),
    at: timestamp,
    key_id: z.int().describe('Id of the API key; 0 for the `fulfillment` command.'),
    key_name: z.string().describe('The name that the key had; of the command line, the command.'),
    address: z.string().describe("The client's address; of the command line, user and machine."),
    request_id: z.string(),
    operation: z.string().describe('The `operationId` of this document; `tenants.create` for a tenant made on the command line.'),
    input: z.record(z.string(), z.unknown()).describe('What was asked for; long texts and lists are cut.'),
    error: z
      .string()
      .nullable()
      .describe(
        'The code of the error with which the call ended: it changed nothing. After `service_unavailable` and `internal_error` that is not certain.',
      ),
  })
  .meta({ id: 'AuditEntry', description: 'A call that was made to change something.' })

export const auditLog = z.object({
  entries: z.array(auditEntry),
  next_cursor: z.string().nullable().describe('Pass it as `cursor` to get older entries; null when there are none.'),
})
