import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { tenantOfKey } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { DATA_TENANT, DEVICE_IDLE_DAYS, OPERATOR_IDLE } from './device-life.ts'
import { listSessionsInput, listSessionsOutput } from './schemas.ts'

type Session = z.infer<typeof listSessionsOutput>['sessions'][number]

const selectSessions = statement<[tenantId: number, idleHours: number], Session>({
  name: 'list_sessions',
  connection: 'slow',
  // The array and the limit: joins would read the sessions and keys of all tenants by a plan made on an empty table.
  sql: `select s.id, s.kind, s.mode, s.key_id, k.name as key_name, s.device_name, s.address, s.user_agent, s.created_at, s.last_seen_at, s.expires_at, (
       select json_build_object('id', o.id, 'name', o.name, 'email', o.email) from operators o
       where o.tenant_id = ${DATA_TENANT} and o.id = s.operator_id and o.is_active and s.last_seen_at > now() - ${OPERATOR_IDLE}
     ) as operator
   from sessions s
   cross join lateral (
     select name, expires_at, revoked_at from api_keys where tenant_id = s.tenant_id and id = s.key_id limit 1
   ) k
   where s.tenant_id = any (array(select id from tenants where id = $1 or sandbox_of = $1)) and s.ended_at is null and k.revoked_at is null
     and s.last_seen_at + case s.kind when 'device' then interval '${DEVICE_IDLE_DAYS} days' else make_interval(hours => $2::int) end > now()
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
    'Sign-ins to the dashboard and enrolled devices that have not ended, newest first. A session has the rights of its API key and ends with it.',
  isAddition: true,
  input: listSessionsInput,
  output: listSessionsOutput,
  run: async ({ db, caller, sessionRules }) => {
    return { sessions: await db.run(selectSessions, [tenantOfKey(caller), sessionRules.idleHours]) }
  },
})
