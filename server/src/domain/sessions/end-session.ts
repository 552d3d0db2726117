import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { tenantOfKey } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { endSessionInput, endSessionOutput } from './schemas.ts'

const endById = statement<[tenantId: number, id: number], { tenant_id: number }>({
  name: 'end_session',
  connection: 'write',
  // The array: a join would read the sessions of all tenants by a plan made on an empty table.
  sql: `update sessions set ended_at = coalesce(ended_at, now())
   where tenant_id = any (array(select id from tenants where id = $1 or sandbox_of = $1)) and id = $2 returning tenant_id`,
})

/** Ends a session of the tenant or its sandbox. Throws `not_found`. */
export const endSession = endpoint({
  name: 'sessions.end',
  scope: 'admin',
  method: 'DELETE',
  path: '/sessions/{id}',
  summary: 'End a session',
  description:
    'The server that handles the call refuses the session at once, all other servers within a second. Ending a session again changes nothing.',
  isAddition: true,
  input: endSessionInput,
  output: endSessionOutput,
  run: async ({ db, caller, sessionRules }, { id }) => {
    const row = await db.runOne(endById, [tenantOfKey(caller), id])
    if (row === undefined) throw new ServiceError('not_found', 'Session not found')
    sessionRules.forget(row.tenant_id, id)
    return { message: 'Session ended' }
  },
})
