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
    ...cursorQuery(entryCursor, 'Continue after this entry: the `next_cursor` of the previous page. Default: from the newest.'),
    limit: pageQuery.limit,
    key_id: queryInteger().optional().describe('Only calls made with the API key of this id.'),
    operation: text(255)
      .optional()
      .describe('Only calls of this operation, by its `operationId`.')
      .meta({ examples: ['stock.adjust'] }),
    request_id: text(255).optional().describe('Only the call with this `X-Request-Id`.'),
    since: since.optional().describe('Only calls from then on: an ISO 8601 timestamp, or a date for its first moment (UTC).'),
    until: until
      .optional()
      .describe('Only calls up to then, included: an ISO 8601 timestamp, or a date for its last moment (UTC).'),
  })
  .refine(...oneCursor)
  .transform((query) => ({ ...query, after: query.cursor ?? query.after }))

const auditEntry = z
  .object({
    id: z.string().describe('Id of the entry.'),
    at: timestamp.describe('Time of the call, UTC.'),
    key_id: z.int().describe('Id of the API key; 0 for the `fulfillment` command.'),
    key_name: z.string().describe('Name of the API key at the time of the call; of the command line, the command.'),
    address: z.string().describe('IP address of the client; of the command line, user and machine.'),
    request_id: z.string().describe('`X-Request-Id` of the call.'),
    operation: z
      .string()
      .describe('`operationId` of the call in this document; `tenants.create` for a tenant created on the command line.'),
    input: z.record(z.string(), z.unknown()).describe('Input of the call. Long texts and lists are cut.'),
    error: z
      .string()
      .nullable()
      .describe(
        'Error code of a failed call; null when it succeeded. A failed call changed nothing, except perhaps after `service_unavailable` or `internal_error`.',
      ),
  })
  .meta({ id: 'AuditEntry', description: 'A call that was made to change something.' })

export const auditLog = z.object({
  entries: z.array(auditEntry).describe('Entries of this page, newest first.'),
  next_cursor: z.string().nullable().describe('Pass it as `cursor` for older entries; null when there are none.'),
})
