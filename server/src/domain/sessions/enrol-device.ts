import { createHash, randomBytes } from 'node:crypto'
import type { Transaction } from '../../database/connections/queryable.ts'
import type { Database } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { recordEntry } from '../audit/index.ts'
import { ownerOf, tenantAndSandbox } from '../tenants/index.ts'
import { DEVICE_IDLE_DAYS, DEVICE_MAX_DAYS } from './device-life.ts'
import { endSessionOf, type EndedSession } from './end-session-of.ts'
import { invalidCode } from './invalid-code.ts'
import { requireSessionKey, storedUserAgent } from './session-key.ts'
import { newSessionToken, type SessionToken } from './session-token.ts'
import type { SignInCode } from './sign-in-code.ts'

/** Enrolled devices of a tenant and its sandbox together. */
const MAX_DEVICES = 1_000
const SECRET_BYTES = 32

/** What a browser keeps of the device that it is, through all its enrolments. */
export interface DeviceSecret {
  id: number
  secret: string
}

export interface Enrolment {
  code: SignInCode
  /** In the place of the name that was given with the code. */
  deviceName: string | undefined
  /** The devices that the browser was, of any tenant and mode. It stays the one of this tenant and mode, if the secret is right. */
  devices: readonly DeviceSecret[]
  address: string
  userAgent: string | undefined
  requestId: string
  /** The session that the browser had, which ends. */
  former: SessionToken | undefined
  admits: (ipWhitelist: string[]) => boolean
}

/** The new session of a device, and those that ended for it. */
export interface EnrolledDevice {
  /** For the browser's cookie. */
  value: string
  device: DeviceSecret
  ended: EndedSession[]
}

interface Code {
  key_id: number
  mode: 'live' | 'test'
  device_name: string
}

const selectCode = statement<[tenantId: number, hash: Buffer], { key_id: number }>({
  name: 'find_device_code',
  connection: 'read',
  sql: `select key_id from sign_in_codes
   where tenant_id = $1 and code_hash = $2 and kind = 'device' and used_at is null and expires_at > now()`,
})

/** Devices of a tenant are enrolled one at a time, so that concurrent enrolments cannot exceed the limit. */
const lockTenant = statement<[tenantId: number], never>({
  name: 'lock_tenant_for_device',
  connection: 'write',
  sql: `select from tenants where id = ${ownerOf('$1')} for no key update`,
})

const redeemCode = statement<[tenantId: number, hash: Buffer], Code>({
  name: 'redeem_device_code',
  connection: 'write',
  // Codes of devices have one.
  notNull: ['device_name'],
  sql: `update sign_in_codes set used_at = now()
   where tenant_id = $1 and code_hash = $2 and kind = 'device' and used_at is null and expires_at > now()
   returning key_id, mode, device_name`,
})

/** SQL for the tenant whose device it is: the sandbox, if the device is enrolled in test mode. */
const DATA_TENANT = `coalesce((select id from tenants where sandbox_of = $1 and $2::text = 'test'), $1)`

/** The first of the given devices whose secret is right. */
const findDevice = statement<[tenantId: number, mode: string, ids: number[], secretHashes: string[]], { position: number }>({
  name: 'find_device',
  connection: 'write',
  // `limit 1` finds each by its id, however many devices Postgres expects.
  sql: `with known as materialized (
     select d.tenant_id, d.id, g.position
     from unnest($3::bigint[], $4::text[]) with ordinality g (id, secret_hash, position)
     cross join lateral (
       select tenant_id, id from devices where tenant_id = ${DATA_TENANT} and id = g.id and secret_hash = decode(g.secret_hash, 'hex') limit 1
     ) d
     order by g.position limit 1
   )
   update devices d set enrolled_at = now() from known k where d.tenant_id = k.tenant_id and d.id = k.id
   returning (k.position - 1)::int as position`,
})

const insertDevice = statement<[tenantId: number, mode: string, secretHash: Buffer], { id: number }>({
  name: 'insert_device',
  connection: 'write',
  sql: `insert into devices (tenant_id, secret_hash) values (${DATA_TENANT}, $3) returning id`,
})

const endDevice = statement<[tenantId: number, deviceId: number], EndedSession>({
  name: 'end_sessions_of_device',
  connection: 'write',
  sql: `update sessions set ended_at = now()
   where tenant_id = any (${tenantAndSandbox('$1')}) and kind = 'device' and device_id = $2 and ended_at is null returning tenant_id as "tenantId", id`,
})

/** Not counted: devices whose key is no longer valid. Their sessions cannot be used again. */
const countDevices = statement<[tenantId: number], { devices: number }>({
  name: 'count_devices',
  connection: 'slow',
  sql: `select count(*) as devices
   from sessions s
   cross join lateral (select expires_at, revoked_at from api_keys where tenant_id = s.tenant_id and id = s.key_id limit 1) k
   where s.tenant_id = any (${tenantAndSandbox('$1')}) and s.kind = 'device' and s.ended_at is null and k.revoked_at is null
     and least(s.expires_at, s.last_seen_at + interval '${DEVICE_IDLE_DAYS} days', k.expires_at) > now()`,
})

const insertSession = statement<
  [
    tenantId: number,
    keyId: number,
    hash: Buffer,
    mode: string,
    address: string,
    userAgent: string | undefined,
    deviceId: number,
    deviceName: string,
  ],
  { id: number }
>({
  name: 'insert_device_session',
  connection: 'write',
  sql: `insert into sessions (tenant_id, key_id, kind, token_hash, mode, address, user_agent, device_id, device_name, expires_at)
   values ($1, $2, 'device', $3, $4, $5, $6, $7, $8, now() + interval '${DEVICE_MAX_DAYS} days')
   returning id`,
})

/**
 * Enrols a device, with a new token. Ends the sessions that the browser and the device had. Throws `invalid_code`, `ip_not_allowed`, and
 * `validation_error` when the tenant has too many devices; the code is not spent then.
 */
export async function enrolDevice(db: Database, enrolment: Enrolment): Promise<EnrolledDevice> {
  const { tenantId, hash } = enrolment.code
  // Guesses take no connection of the tenant that they name.
  if ((await db.runOne(selectCode, [tenantId, hash])) === undefined) throw invalidCode('enrolment')
  return await db.forTenant(tenantId).transaction(async (tx) => {
    await tx.run(lockTenant, [tenantId])
    const code = await tx.runOne(redeemCode, [tenantId, hash])
    if (code === undefined) throw invalidCode('enrolment')
    return await enrol(tx, enrolment, code)
  })
}

async function enrol(tx: Transaction, enrolment: Enrolment, code: Code): Promise<EnrolledDevice> {
  const { address, requestId, former } = enrolment
  const { tenantId } = enrolment.code
  const key = await requireSessionKey(tx, { tenantId, keyId: code.key_id }, enrolment, () => invalidCode('enrolment'))
  const device = await deviceOf(tx, tenantId, code.mode, enrolment.devices)
  const left = former === undefined ? [] : await endSessionOf(tx, former, { address, requestId, kind: 'device' })
  const replaced = await tx.run(endDevice, [tenantId, device.id])
  const { devices = 0 } = (await tx.runOne(countDevices, [tenantId])) ?? {}
  if (devices >= MAX_DEVICES) throw tooManyDevices()
  const token = newSessionToken(tenantId)
  const deviceName = enrolment.deviceName ?? code.device_name
  const userAgent = storedUserAgent(enrolment.userAgent)
  const values = [tenantId, code.key_id, token.hash, code.mode, address, userAgent, device.id, deviceName] as const
  const row = await tx.runOne(insertSession, [...values])
  const sessionId = row?.id ?? null
  const actor = { tenantId, keyId: code.key_id, keyName: key.name, address, requestId, surface: 'scan', sessionId } as const
  const input = { way: 'code', device_name: deviceName, mode: code.mode }
  await recordEntry(tx, { ...actor, operation: 'sessions.start', input })
  for (const session of replaced)
    await recordEntry(tx, { ...actor, tenantId: session.tenantId, operation: 'sessions.end', input: { id: session.id } })
  return { value: token.value, device, ended: [...left, ...replaced] }
}

async function deviceOf(tx: Transaction, tenantId: number, mode: string, given: readonly DeviceSecret[]): Promise<DeviceSecret> {
  const hashes = given.map((one) => hashOf(one.secret).toString('hex'))
  const known = await tx.runOne(findDevice, [tenantId, mode, given.map(({ id }) => id), hashes])
  const device = known && given[known.position]
  if (device !== undefined) return device
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  const row = await tx.runOne(insertDevice, [tenantId, mode, hashOf(secret)])
  return { id: row?.id as number, secret }
}

/** Secrets are random, so a plain hash cannot be reversed by guessing. */
const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

function tooManyDevices(): ServiceError {
  return new ServiceError(
    'validation_error',
    `A tenant has at most ${MAX_DEVICES} enrolled devices; end the session of one first`,
  )
}
