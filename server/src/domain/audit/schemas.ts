import { z } from 'zod'
import { cursorQuery, oneCursor, pageQuery, queryInteger, text, timestamp } from '../../procedures/fields/fields.ts'
import { since, until } from '../../procedures/fields/moments.ts'

const CURSOR = /^(\d{1,13})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

const entryCursor = z
  .string()
  .regex(CURSOR, 'must be the next_cursor of a response')
  .transform((cursor) => {
    const [, at, id] = CURSOR.exec(cursor) as unknown as [string, string, string]
    return { at: new Date(Number(at)), id }
  })

const surface = z.enum(['api', 'dashboard', 'scan', 'mcp'])

/** How a call came in. */
export type Surface = z.infer<typeof surface>

export const listAuditLogInput = z
  .object({
    ...cursorQuery(
      entryCursor,
      'Continue after this entry: the `next_cursor` of the previous page. Default: start at the newest.',
    ),
    limit: pageQuery.limit,
    key_id: queryInteger(0)
      .optional()
      .describe('Only calls made with the API key of this id; 0 for those of the `fulfillment` command.'),
    operation: text(255)
      .optional()
      .describe('Only calls of this operation, by its `operationId`.')
      .meta({ examples: ['stock.adjust'] }),
    request_id: text(255).optional().describe('Only the call with this `X-Request-Id`.'),
    surface: surface.optional().describe('Only calls from this surface: `api`, `dashboard`, `scan` or `mcp`.'),
    operator_email: text(255).optional().describe('Only calls of the operator with this e-mail address, from a device.'),
    since: since
      .optional()
      .describe('Only calls at or after this time: an ISO 8601 timestamp, or a date for the start of that day (UTC).'),
    until: until
      .optional()
      .describe('Only calls up to and including this time: an ISO 8601 timestamp, or a date for the end of that day (UTC).'),
  })
  .refine(...oneCursor)
  .transform((query) => ({ ...query, after: query.cursor ?? query.after }))

export const auditEntry = z
  .object({
    id: z.string().describe('Id of the entry.'),
    at: timestamp.describe('Time of the call, UTC.'),
    key_id: z.int().describe('Id of the API key; 0 for the `fulfillment` command.'),
    key_name: z.string().describe('Name of the API key at the time of the call; for the command line, the command.'),
    address: z.string().describe('IP address of the client; for the command line, the user and machine.'),
    request_id: z.string().describe('`X-Request-Id` of the call.'),
    operation: z
      .string()
      .describe(
        'Name of the operation, such as `orders.create`; `tenants.create` for a tenant created on the command line, `sessions.start` for a sign-in and for the enrolment of a device, `sessions.createCode` for a sign-in link, `operators.signIn` and `operators.signOut` for an operator on a device.',
      ),
    input: z.record(z.string(), z.unknown()).describe('Input of the call. Long texts and lists are truncated.'),
    surface: surface.describe(
      '`dashboard` or `scan` for a call from that app, `mcp` for a call by an agent, `api` for every other call with an API key and for the command line.',
    ),
    session_id: z.int().nullable().describe('Id of the session that made the call; null for a call with an API key.'),
    operator_email: z
      .string()
      .nullable()
      .describe('E-mail address of the operator who was signed in on the device; null where there was none.'),
    error: z
      .string()
      .nullable()
      .describe(
        'Error code of a failed call; null if it succeeded, or if it ended within the last second. A failed call changed nothing, except perhaps after `service_unavailable` or `internal_error`.',
      ),
  })
  .meta({ id: 'AuditEntry', description: 'A call to change data.' })

export const listAuditLogOutput = z.object({
  entries: z.array(auditEntry).describe('Entries of this page, newest first.'),
  next_cursor: z.string().nullable().describe('Pass it as `cursor` to get older entries; null when there are none.'),
})
