import type { Caller, Scope } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { hashApiKey } from './create-api-key.ts'

/** An API key as authentication needs it. */
export interface KnownKey {
  caller: Caller
  ipWhitelist: string[]
  /** ISO 8601 */
  expiresAt: string | null
}

interface Row {
  tenant_id: number
  key_id: number
  key_name: string
  scopes: Scope[]
  ip_whitelist: string[]
  expires_at: string | null
  is_sandbox: boolean
  warehouse_id: number
  warehouse_name: string
}

const findKey = statement<[hash: Buffer], Row>(
  'find_key',
  `select k.tenant_id, k.id as key_id, k.name as key_name, k.scopes, k.ip_whitelist, k.expires_at,
     t.sandbox_of is not null as is_sandbox, w.id as warehouse_id, w.name as warehouse_name
   from api_keys k
   join tenants t on t.id = k.tenant_id
   join warehouses w on w.tenant_id = k.tenant_id and w.is_default
   where k.key_hash = $1 and k.revoked_at is null`,
)

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
  }
}

const touchKeys = statement<[ids: number[], at: Date[]], never>(
  'touch_keys',
  `update api_keys k set last_used_at = greatest(k.last_used_at, u.at)
   from unnest($1::bigint[], $2::timestamptz[]) u(id, at) where k.id = u.id`,
)

/** Stores when keys were last used. */
export async function recordKeyUse(db: Queryable, lastUse: ReadonlyMap<number, Date>): Promise<void> {
  await db.run(touchKeys, [[...lastUse.keys()], [...lastUse.values()]])
}
