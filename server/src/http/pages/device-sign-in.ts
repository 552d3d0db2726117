import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import manifest from '../../../package.json' with { type: 'json' }
import { parseBadge } from '../../domain/operators/index.ts'
import {
  DEVICE_MAX_DAYS,
  enrolDevice,
  invalidCode,
  parseDeviceCode,
  parseSessionToken,
  signInOperator,
  signOutOperator,
} from '../../domain/sessions/index.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { id, text, trimmedText } from '../../procedures/fields/fields.ts'
import { invalidInput } from '../../procedures/invalid-input.ts'
import { allowListOf } from '../../runtime/allow-list.ts'
import { untilSwitched } from '../../shards/read-in-shard.ts'
import type { Shards } from '../../shards/shards.ts'
import type { Guard } from '../guards.ts'
import { BODY_LIMIT } from './body-limit.ts'
import { namesOther } from './device-rules.ts'
import { callerOf, type Device, type Devices, refreshedDevice, requireDevice } from './device-sessions.ts'
import { endSession, endSessionElsewhere } from './end-former-session.ts'
import { clearCookie, readCookie, setCookie } from './page-cookie.ts'
import type { RefusedSignIns } from './refused-sign-ins.ts'

/** Services that the sessions of devices need. */
export interface DeviceOptions {
  shards: Shards
  devices: Devices
  refused: RefusedSignIns
  /** Counts the sign-ins and sign-outs of operators against the device: each reads and writes the database. */
  limit: Guard | undefined
}

/** A browser that has been more devices sends the likeliest. */
const MAX_DEVICES = 20

const deviceProof = z.object({ id, secret: text(255) })
const enrolInput = z.object({
  // As long as the body may be: a value that is too long is as wrong as any other.
  code: text(BODY_LIMIT),
  device_name: trimmedText(255).nullish(),
  device: deviceProof.nullish(),
  devices: z.array(deviceProof).max(MAX_DEVICES).nullish(),
})
const badgeInput = z.object({ badge: text(BODY_LIMIT) })

/** Enrols a device with a code. The response has its session, its cookie, and what it keeps to be known again. */
export async function enrol(request: FastifyRequest, reply: FastifyReply, { shards, devices, refused }: DeviceOptions) {
  const input = readInput(enrolInput, request)
  try {
    const code = parseDeviceCode(input.code)
    if (code === undefined) throw invalidCode('enrolment')
    const former = parseSessionToken(readCookie(request, 'scan'))
    await untilSwitched(shards, code.tenantId)
    const { value, device, ended } = await enrolDevice(shards.of(code.tenantId), {
      code,
      deviceName: input.device_name ?? undefined,
      devices: [...(input.device ? [input.device] : []), ...(input.devices ?? [])],
      address: request.ip,
      userAgent: request.headers['user-agent'],
      requestId: request.id,
      former,
      admits: (ipWhitelist) => allowListOf(ipWhitelist)(request.ip),
    })
    ended.push(...(await endSessionElsewhere(shards, former, code.tenantId, request, 'device')))
    for (const { tenantId, id } of ended) devices.forget(tenantId, id)
    setCookie(request, reply, 'scan', value, DEVICE_MAX_DAYS)
    return { success: true, data: { ...deviceData(await found(devices, value), request), device } }
  } catch (error) {
    throw await refused.errorFor(error, request, 'address')
  }
}

/** The session of the device. Throws `no_session`. */
export async function readDevice(request: FastifyRequest, reply: FastifyReply, { devices }: DeviceOptions) {
  return { success: true, data: deviceData(await requireDevice(request, reply, devices), request) }
}

/** Ends the session of the device. Succeeds without one too. */
export async function endDeviceSession(request: FastifyRequest, reply: FastifyReply, { shards, devices }: DeviceOptions) {
  const value = readCookie(request, 'scan')
  const token = parseSessionToken(value)
  if (token !== undefined && (await devices.find(value, false)) !== undefined) {
    const ended = await endSession(shards, token, request, 'device')
    for (const { tenantId, id } of ended) devices.forget(tenantId, id)
  }
  clearCookie(request, reply, 'scan')
  return { success: true, data: { message: 'The device is no longer enrolled' } }
}

/** Finds the device whose operator a request signs in or out and counts the request, before its body is read. Throws `no_session`. */
export async function admitDeviceRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { devices, limit }: DeviceOptions,
): Promise<void> {
  request.device = await requireDevice(request, reply, devices)
  request.caller = callerOf(request.device)
  await limit?.(request, reply)
}

/** Signs an operator in on the device of an admitted request, with their badge. */
export async function signInWithBadge(request: FastifyRequest, reply: FastifyReply, { shards, devices, refused }: DeviceOptions) {
  const device = request.device as Device
  const badge = parseBadge(readInput(badgeInput, request).badge)
  try {
    if (badge === undefined) throw invalidCode('badge')
    await signInOperator(shards.of(device.tenant_id), device, badge, { address: request.ip, requestId: request.id })
  } catch (error) {
    throw await refused.errorFor(error, request, `device ${device.tenant_id}/${device.device_id}`)
  }
  return { success: true, data: deviceData(await refreshedDevice(request, reply, devices), request) }
}

/** Signs the operator of the device out. Succeeds without one too. One that names an operator who has left is late: it ends nothing. */
export async function signOutDevice(request: FastifyRequest, reply: FastifyReply, { shards, devices }: DeviceOptions) {
  const device = await refreshedDevice(request, reply, devices)
  const isLate = device.operator !== null && namesOther(request, device.operator)
  if (!isLate) await signOutOperator(shards.of(device.tenant_id), device, { address: request.ip, requestId: request.id })
  return { success: true, data: deviceData(await refreshedDevice(request, reply, devices), request) }
}

function readInput<Input extends z.ZodType>(input: Input, request: FastifyRequest): z.infer<Input> {
  const { data, error } = input.safeParse(request.body)
  if (error !== undefined) throw invalidInput(error, { path: '/scan/session' })
  return data
}

/** The session that was just started. */
async function found(devices: Devices, value: string): Promise<Device> {
  const device = await devices.find(value, false)
  if (device === undefined) throw new ServiceError('no_session', 'The session has ended already')
  return device
}

/** The session as the device sees it. */
function deviceData(device: Device, { pageOrigin }: FastifyRequest) {
  const { id, mode, device_name, operator, expires_at, server_time } = device
  return {
    id,
    tenant: { id: device.owner_id, name: device.owner_name },
    mode,
    device_name,
    operator,
    expires_at,
    server_time,
    public_url: pageOrigin?.origin,
    version: manifest.version,
  }
}
