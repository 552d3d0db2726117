import { z } from 'zod'
import { id, pathId, timestamp } from '../../procedures/fields/fields.ts'
import { returned } from '../../procedures/fields/response-fields.ts'

const operator = z
  .object({
    id: id.describe('Id of the operator.'),
    name: z.string().describe('Name of the operator.'),
    email: z.string().describe('E-mail address of the operator.'),
  })
  .meta({ id: 'SessionOperator', description: 'The operator who is signed in on a device.' })

const session = z
  .object({
    id: id.describe('Id of the session.'),
    kind: z.enum(['dashboard', 'device']).describe('`dashboard` for a browser, `device` for an enrolled device.'),
    mode: z
      .enum(['live', 'test'])
      .describe('`test` for a device that works with test data, and for the dashboard with a test key; otherwise `live`.'),
    key_id: id.describe('Id of the API key whose rights the session has.'),
    key_name: z.string().describe('Name of that API key.'),
    device_name: z.string().nullable().describe('Name of the device; null for the dashboard.'),
    operator: operator.nullable().describe('Operator who is signed in on the device; null where there is none.'),
    address: z.string().describe('IP address of the sign-in.'),
    user_agent: z.string().nullable().describe('`User-Agent` of the browser that signed in; null if it sent none.'),
    created_at: timestamp.describe('Time of the sign-in, UTC.'),
    last_seen_at: timestamp.describe('Time of the last use, UTC, accurate to about a minute.'),
    expires_at: timestamp.describe('Time at which the session ends in any case, UTC.'),
  })
  .meta({ id: 'Session', description: 'A sign-in to the dashboard, or an enrolled device.' })

export const listSessionsInput = z.object({})
export const listSessionsOutput = z.object({ sessions: z.array(session).describe('Sessions that have not ended, newest first.') })
export const endSessionInput = z.object({ id: pathId.describe('Id of the session.') })
export const endSessionOutput = z.object({ message: returned.message })
