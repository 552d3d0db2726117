import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { listSessionsInput, listSessionsOutput } from './schemas.ts'

type Session = z.infer<typeof listSessionsOutput>['sessions'][number]

const selectSessions = statement<[tenantId: number, idleHours: number], Omit<Session, 'operator'>>({
  name: 'list_sessions',
  lane: 'slow',
  // The array and the limit: joins would read the sessions and keys of all tenants by a plan made on an empty table.
  sql: `select s.id, s.kind, s.key_id, k.name as key_name, s.device_name, s.address, s.user_agent, s.created_at, s.last_seen_at, s.expires_at
   from sessions s
   cross join lateral (
     select name, expires_at, revoked_at from api_keys where tenant_id = s.tenant_id and id = s.key_id limit 1
   ) k
   where s.tenant_id = any (array(select id from tenants where id = $1 or sandbox_of = $1)) and s.ended_at is null and k.revoked_at is null
     and (s.kind <> 'dashboard' or s.last_seen_at + make_interval(hours => $2::int) > now())
     and least(s.expires_at, k.expires_at) > now()
   order by s.created_at desc, s.id desc`,
})

/** The sessions of the tenant that have not ended. A live key also lists the sessions of the sandbox; a test key lists only those. */
export const listSessions = endpoint({
  name: 'sessions.list',
  scope: 'admin',
  method: 'GET',
  path: '/sessions',
  summary: 'List sessions',
  description:
    'Sign-ins to the dashboard that have not ended, newest first. A session has the rights of its API key and ends with it.',
  isAddition: true,
  input: listSessionsInput,
  output: listSessionsOutput,
  run: async ({ db, caller, sessionRules }) => {
    const rows = await db.run(selectSessions, [caller.tenantId, sessionRules.idleHours])
    return { sessions: rows.map((row) => ({ ...row, operator: null })) }
  },
})
