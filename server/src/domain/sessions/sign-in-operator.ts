import type { Database, Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { recordEntry } from '../audit/index.ts'
import type { Badge } from '../operators/index.ts'
import type { KnownDevice } from './find-device-session.ts'
import { invalidCode } from './invalid-code.ts'

/** Who made the request, for the audit log. */
interface Client {
  address: string
  requestId: string
}

const setOperator = statement<
  [tenantId: number, id: number, dataTenantId: number, operatorId: number, hash: Buffer],
  { operator_email: string }
>({
  name: 'sign_in_operator',
  connection: 'write',
  sql: `with session as (
     update sessions s set operator_id = o.id, last_seen_at = now()
     from operators o
     where s.tenant_id = $1 and s.id = $2 and s.ended_at is null
       and o.tenant_id = $3 and o.id = $4 and o.badge_hash = $5 and o.is_active
     returning s.device_id, s.operator_id, o.email as operator_email
   ), use as (
     insert into device_operators (tenant_id, operator_id, device_id) select $3, operator_id, device_id from session
     on conflict (tenant_id, operator_id, device_id) do update set last_active_at = now()
   )
   select operator_email from session`,
})

/** Signs the operator of a badge in on a device, in the place of the one before. Throws `invalid_code`. */
export async function signInOperator(db: Database, device: KnownDevice, badge: Badge, client: Client): Promise<void> {
  await db.forTenant(device.tenant_id).transaction(async (tx) => {
    const values = [device.tenant_id, device.id, device.data_tenant_id, badge.operatorId, badge.hash] as const
    const row = await tx.runOne(setOperator, [...values])
    if (row === undefined) throw invalidCode('badge')
    const entry = { operation: 'operators.signIn', input: { id: badge.operatorId }, operatorEmail: row.operator_email }
    await recordEntry(tx, { ...actorOf(device, client), ...entry })
  })
}

const clearOperator = statement<[tenantId: number, id: number, operatorId: number], { id: number }>({
  name: 'sign_out_operator',
  connection: 'write',
  sql: `update sessions set operator_id = null where tenant_id = $1 and id = $2 and operator_id = $3 and ended_at is null returning id`,
})

/** Signs the operator of a device out, if there is one. */
export async function signOutOperator(db: Database, device: KnownDevice, client: Client): Promise<void> {
  const { operator } = device
  if (operator === null) return
  await db.forTenant(device.tenant_id).transaction(async (tx) => {
    if ((await tx.runOne(clearOperator, [device.tenant_id, device.id, operator.id])) === undefined) return
    const entry = { operation: 'operators.signOut', input: { id: operator.id }, operatorEmail: operator.email }
    await recordEntry(tx, { ...actorOf(device, client), ...entry })
  })
}

function actorOf({ data_tenant_id: tenantId, key_id: keyId, key_name: keyName, id: sessionId }: KnownDevice, client: Client) {
  return { tenantId, keyId, keyName, sessionId, surface: 'scan', ...client } as const
}

const selectFormer = statement<
  [tenantId: number, operatorId: number, deviceId: number],
  { id: number; name: string; email: string; may_change_stock: boolean }
>({
  name: 'find_operator_of_device',
  connection: 'read',
  sql: `select o.id, o.name, o.email, o.may_change_stock
   from device_operators d join operators o on o.tenant_id = d.tenant_id and o.id = d.operator_id
   where d.tenant_id = $1 and d.operator_id = $2 and d.device_id = $3`,
})

/** An operator who ever signed in on a device, active or not. */
export async function findOperatorOfDevice(db: Queryable, { data_tenant_id, device_id }: KnownDevice, operatorId: number) {
  return await db.runOne(selectFormer, [data_tenant_id, operatorId, device_id])
}
