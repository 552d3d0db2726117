import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Scope } from '../../procedures/context.ts'
import { USE_OF_KEY } from './session-key.ts'
import type { SessionToken } from './session-token.ts'

/** A session that has not ended, with the present rights of its key. */
export interface KnownSession {
  id: number
  tenant_id: number
  created_at: string
  expires_at: string
  /** When it ends unless it is used. */
  idle_expires_at: string
  /** Until it ends, or its key does, by the database's clock. */
  ms_left: number
  ms_since_seen: number
  key_id: number
  key_name: string
  key_prefix: string
  key_expires_at: string | null
  scopes: Scope[]
  ip_whitelist: string[]
  /** Whether its key is a test key. */
  is_sandbox: boolean
  /** The tenant itself, also for the session of a test key. */
  owner_id: number
  owner_name: string
  warehouse_id: number
  warehouse_name: string
  /** Of the tenant's sandbox; null until it is first used. */
  sandbox_id: number | null
  sandbox_warehouse_id: number | null
  sandbox_warehouse_name: string | null
}

const IDLE_AT = 's.last_seen_at + make_interval(hours => $3::int)'
const ENDS_AT = `least(s.expires_at, ${IDLE_AT}, k.expires_at)`

const findByToken = statement<[tenantId: number, hash: Buffer, idleHours: number], KnownSession>({
  name: 'find_session',
  connection: 'read',
  // It depends on columns that are never null.
  notNull: ['idle_expires_at'],
  sql: `select s.id, s.tenant_id, s.created_at, s.expires_at, ${IDLE_AT} as idle_expires_at,
     extract(epoch from ${ENDS_AT} - now())::float8 * 1000 as ms_left,
     extract(epoch from now() - s.last_seen_at)::float8 * 1000 as ms_since_seen,
     k.id as key_id, k.name as key_name, k.prefix as key_prefix, k.expires_at as key_expires_at, k.scopes, k.ip_whitelist,
     t.sandbox_of is not null as is_sandbox, coalesce(o.id, t.id) as owner_id, coalesce(o.name, t.name) as owner_name,
     w.id as warehouse_id, w.name as warehouse_name,
     b.id as sandbox_id, bw.id as sandbox_warehouse_id, bw.name as sandbox_warehouse_name
   from sessions s
   join api_keys k on k.tenant_id = s.tenant_id and k.id = s.key_id
   join tenants t on t.id = s.tenant_id
   join warehouses w on w.tenant_id = s.tenant_id and w.is_default
   left join tenants o on o.id = t.sandbox_of
   left join tenants b on b.sandbox_of = t.id
   left join warehouses bw on bw.tenant_id = b.id and bw.is_default
   where s.tenant_id = $1 and s.token_hash = $2 and s.kind = 'dashboard' and s.ended_at is null
     and k.revoked_at is null and ${ENDS_AT} > now()`,
})

/** The dashboard session with this token, unless it has ended, was not used for `idleHours`, or its key is no longer valid. */
export async function findSession(db: Queryable, token: SessionToken, idleHours: number): Promise<KnownSession | undefined> {
  return await db.runOne(findByToken, [token.tenantId, token.hash, idleHours])
}

const touch = statement<[tenantId: number, id: number], never>({
  name: 'touch_session',
  connection: 'write',
  sql: `with session as (
     update sessions set last_seen_at = now() where tenant_id = $1 and id = $2 and ended_at is null and last_seen_at < now()
     returning tenant_id, key_id
   ), ${USE_OF_KEY}
   select`,
})

/** Stores that the session is used now, and so its key. */
export async function touchSession(db: Queryable, { tenant_id, id }: Pick<KnownSession, 'tenant_id' | 'id'>): Promise<void> {
  await db.run(touch, [tenant_id, id])
}
