import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Scope } from '../../procedures/context.ts'
import { DATA_TENANT, DEVICE_IDLE_DAYS, OPERATOR_IDLE } from './device-life.ts'
import { USE_OF_KEY } from './session-key.ts'
import type { SessionToken } from './session-token.ts'

/** An operator as devices see them. */
export interface DeviceOperator {
  id: number
  name: string
  email: string
  may_change_stock: boolean
}

/** The session of an enrolled device that has not ended, with the present rights of its key. */
export interface KnownDevice {
  id: number
  tenant_id: number
  expires_at: string
  /** By the database's clock. */
  server_time: string
  /** Until it ends, or its key does, by the database's clock. */
  ms_left: number
  ms_since_seen: number
  key_id: number
  key_name: string
  scopes: Scope[]
  ip_whitelist: string[]
  mode: 'live' | 'test'
  device_id: number
  device_name: string
  /** The tenant itself, also for a device of the sandbox. */
  owner_id: number
  owner_name: string
  /** The tenant or sandbox whose data the device uses. */
  data_tenant_id: number
  warehouse_id: number
  warehouse_name: string
  /** Null when no active operator is signed in. */
  operator: DeviceOperator | null
}

const IDLE_AT = `s.last_seen_at + interval '${DEVICE_IDLE_DAYS} days'`
const ENDS_AT = `least(s.expires_at, ${IDLE_AT}, k.expires_at)`

const findByToken = statement<[tenantId: number, hash: Buffer], KnownDevice>({
  name: 'find_device_session',
  connection: 'read',
  // Sessions of devices have both.
  notNull: ['device_id', 'device_name'],
  sql: `select s.id, s.tenant_id, s.expires_at, now() as server_time,
     extract(epoch from ${ENDS_AT} - now())::float8 * 1000 as ms_left,
     extract(epoch from now() - s.last_seen_at)::float8 * 1000 as ms_since_seen,
     k.id as key_id, k.name as key_name, k.scopes, k.ip_whitelist, s.mode, s.device_id, s.device_name,
     coalesce(t.sandbox_of, t.id) as owner_id, coalesce(o.name, t.name) as owner_name,
     w.tenant_id as data_tenant_id, w.id as warehouse_id, w.name as warehouse_name,
     case when p.id is not null then json_build_object('id', p.id, 'name', p.name, 'email', p.email, 'may_change_stock', p.may_change_stock) end as operator
   from sessions s
   join api_keys k on k.tenant_id = s.tenant_id and k.id = s.key_id
   join tenants t on t.id = s.tenant_id
   left join tenants o on o.id = t.sandbox_of
   join warehouses w on w.tenant_id = ${DATA_TENANT} and w.is_default
   left join lateral (
     select * from operators
     where tenant_id = w.tenant_id and id = s.operator_id and is_active and s.last_seen_at > now() - ${OPERATOR_IDLE} limit 1
   ) p on true
   where s.tenant_id = $1 and s.token_hash = $2 and s.kind = 'device' and s.ended_at is null
     and k.revoked_at is null and ${ENDS_AT} > now()`,
})

/** The device with this token, unless its session has ended, it was not used for long, or its key is no longer valid. */
export async function findDeviceSession(db: Queryable, token: SessionToken): Promise<KnownDevice | undefined> {
  return await db.runOne(findByToken, [token.tenantId, token.hash])
}

const touch = statement<[tenantId: number, id: number, dataTenantId: number], never>({
  name: 'touch_device_session',
  connection: 'write',
  // An operator whose time is over must not come back with this use.
  sql: `with session as (
     update sessions set last_seen_at = now(), operator_id = case when last_seen_at > now() - ${OPERATOR_IDLE} then operator_id end
     where tenant_id = $1 and id = $2 and ended_at is null and last_seen_at < now()
     returning tenant_id, key_id, device_id, operator_id
   ), ${USE_OF_KEY}
   update device_operators d set last_active_at = now()
   from session s where d.tenant_id = $3 and d.operator_id = s.operator_id and d.device_id = s.device_id`,
})

/** Stores that the device and its operator are active now, and that its key is used. */
export async function touchDeviceSession(db: Queryable, { tenant_id, id, data_tenant_id }: KnownDevice): Promise<void> {
  await db.run(touch, [tenant_id, id, data_tenant_id])
}
