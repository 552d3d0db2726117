import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Caller, Scope } from '../../procedures/context.ts'
import { hashApiKey } from './create-api-key.ts'

/** An API key with the fields that authentication needs. */
export interface KnownKey {
  caller: Caller
  ipWhitelist: string[]
  /** ISO 8601 */
  expiresAt: string | null
  /** Time until expiration, by the database's clock; undefined when the key does not expire. */
  msLeft: number | undefined
}

interface Row {
  tenant_id: number
  key_id: number
  key_name: string
  scopes: Scope[]
  ip_whitelist: string[]
  expires_at: string | null
  ms_left: number | null
  is_sandbox: boolean
  warehouse_id: number
  warehouse_name: string
}

const findKey = statement<[hash: Buffer], Row>({
  name: 'find_key',
  connection: 'read',
  sql: `select k.tenant_id, k.id as key_id, k.name as key_name, k.scopes, k.ip_whitelist, k.expires_at,
     extract(epoch from k.expires_at - now())::float8 * 1000 as ms_left,
     t.sandbox_of is not null as is_sandbox, w.id as warehouse_id, w.name as warehouse_name
   from api_keys k
   join tenants t on t.id = k.tenant_id
   join warehouses w on w.tenant_id = k.tenant_id and w.is_default
   where k.key_hash = $1 and k.revoked_at is null`,
})

/** The key with this value, unless it is unknown or revoked. */
export async function findCaller(db: Queryable, key: string): Promise<KnownKey | undefined> {
  const row = await db.runOne(findKey, [hashApiKey(key)])
  if (row === undefined) return undefined
  return {
    caller: {
      tenantId: row.tenant_id,
      mode: row.is_sandbox ? 'test' : 'live',
      defaultWarehouse: { id: row.warehouse_id, name: row.warehouse_name },
      keyId: row.key_id,
      keyName: row.key_name,
      scopes: row.scopes,
    },
    ipWhitelist: row.ip_whitelist,
    expiresAt: row.expires_at,
    msLeft: row.ms_left ?? undefined,
  }
}

const findTenant = statement<[hash: Buffer], { tenant_id: number }>({
  name: 'find_tenant_of_moved_key',
  connection: 'read',
  // The first one while the tenant is being switched to another shard.
  sql: `select tenant_id from api_keys where key_hash = $1 and revoked_at = 'infinity'
   union all select of_tenant from moved_keys where key_hash = $1`,
})

/** The tenant of a key of a tenant that was moved out of the directory. */
export async function tenantOfMovedKey(directory: Queryable, key: string): Promise<number | undefined> {
  return (await directory.runOne(findTenant, [hashApiKey(key)]))?.tenant_id
}

/** When a key was last used. */
export interface KeyUse {
  tenantId: number
  keyId: number
  msAgo: number
}

/** By the database's clock. A key that is locked is left out: the others must not wait for it, and who locks it is often another process that does the same. */
const touchKeys = statement<[tenantIds: number[], ids: number[], msAgo: number[]], never>({
  name: 'touch_keys',
  connection: 'write',
  sql: `with used as materialized (
     select k.tenant_id, k.id, now() - make_interval(secs => u.ms_ago / 1000) as at
     from unnest($1::bigint[], $2::bigint[], $3::float8[]) u (tenant_id, id, ms_ago)
     join api_keys k on k.tenant_id = u.tenant_id and k.id = u.id
     for no key update of k skip locked
   )
   update api_keys k set last_used_at = greatest(k.last_used_at, u.at)
   from used u where k.tenant_id = u.tenant_id and k.id = u.id`,
})

/** Stores when keys were last used. */
export async function recordKeyUse(db: Queryable, uses: readonly KeyUse[]): Promise<void> {
  await db.run(touchKeys, [uses.map(({ tenantId }) => tenantId), uses.map(({ keyId }) => keyId), uses.map(({ msAgo }) => msAgo)])
}
