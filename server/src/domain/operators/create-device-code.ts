import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { invalidField } from '../../errors/invalid-field.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { type Caller, tenantOfKey } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { isWithin } from '../../runtime/allow-list.ts'
import { hashOfCode, newCode } from '../../runtime/one-time-code.ts'
import { createDeviceCodeInput, createDeviceCodeOutput } from './schemas.ts'

/** 80 bits. */
const LENGTH = 16
const LIFE_MINUTES = 10

interface Keys {
  /** Of the key whose rights the device gets. */
  tenant_id: number
  ip_whitelist: string[]
  calling_ip_whitelist: string[]
  /** Whether the key expires after the calling key. */
  is_longer: boolean
}

/** The calling key of a session of the dashboard can be live while the call uses the sandbox. */
const selectKeys = statement<[callingTenantId: number, callingKeyId: number, tenantId: number, keyId: number], Keys>({
  name: 'find_keys_of_device_code',
  connection: 'read',
  // It depends on a column that is compared only where it is not null.
  notNull: ['is_longer'],
  sql: `select k.tenant_id, k.ip_whitelist, c.ip_whitelist as calling_ip_whitelist,
     c.expires_at is not null and coalesce(k.expires_at, 'infinity') > c.expires_at as is_longer
   from api_keys c
   cross join lateral (
     select * from api_keys
     where tenant_id = any (array[$1, $3]::bigint[]) and id = $4 and (tenant_id = $3 or id = c.id)
       and revoked_at is null and (expires_at is null or expires_at > now())
     limit 1
   ) k
   where c.tenant_id = $1 and c.id = $2`,
})

const insertCode = statement<
  [tenantId: number, hash: Buffer, keyId: number, mode: string, deviceName: string, minutes: number],
  { expires_at: string }
>({
  name: 'insert_device_code',
  connection: 'write',
  sql: `insert into sign_in_codes (tenant_id, code_hash, key_id, kind, mode, device_name, expires_at)
   values ($1, $2, $3, 'device', $4, $5, now() + make_interval(mins => $6::int)) returning expires_at`,
})

/** Makes a code that enrols a device once, within 10 minutes. Throws `not_found`, `validation_error` for a key with wider rights. */
export const createDeviceCode = endpoint({
  name: 'devices.createCode',
  scope: 'admin',
  method: 'POST',
  path: '/devices/codes',
  summary: 'Make a code that enrols a device',
  description:
    'The code is valid once, for 10 minutes. The device works on the live or test data of the calling key. It has the current rights of an API key, limited to the operations of picking, packing, receiving, counting and stock work. Its session ends when the key is revoked or expires, after 30 days without use, or after 180 days.',
  errors: ['not_found'],
  isAddition: true,
  input: createDeviceCodeInput,
  output: createDeviceCodeOutput,
  run: async ({ db, caller, pagesOrigin }, { device_name, key_id }) => {
    const keyId = key_id ?? caller.keyId
    const tenantId = await requireKey(db, caller, keyId)
    const random = newCode(LENGTH)
    const row = await db.runOne(insertCode, [tenantId, hashOfCode(random), keyId, caller.mode, device_name, LIFE_MINUTES])
    const code = `${tenantId}-${random}`
    return { code, url: `${pagesOrigin}/scan#code=${code}`, expires_at: row?.expires_at as string }
  },
})

/** The tenant of a key whose rights the caller may pass on. Its scopes need no check: the caller has `admin`, which grants all. */
async function requireKey(db: Queryable, caller: Caller, keyId: number): Promise<number> {
  const keys = await db.runOne(selectKeys, [tenantOfKey(caller), caller.keyId, caller.tenantId, keyId])
  if (keys === undefined) throw new ServiceError('not_found', 'API key not found')
  if (!isWithin(keys.ip_whitelist, keys.calling_ip_whitelist)) throw invalidField('key_id', 'its allow-list is wider than yours')
  if (keys.is_longer) throw invalidField('key_id', 'it expires later than yours')
  return keys.tenant_id
}
