import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KnownDevice } from '../../domain/sessions/index.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Caller } from '../../procedures/context.ts'
import { addressNotAllowed } from '../authentication.ts'
import { clearCookie, readCookie } from './page-cookie.ts'
import type { CachedSession, SessionCache } from './session-cache.ts'

export type Device = CachedSession<KnownDevice>
export type Devices = SessionCache<KnownDevice>

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication for calls of devices. */
    device?: Device
  }
}

/** The device of a request. A background request does not count as use of it. Throws `no_session`, `ip_not_allowed`. */
export async function requireDevice(request: FastifyRequest, reply: FastifyReply, devices: Devices): Promise<Device> {
  const isUse = request.headers['x-page-background'] !== '1'
  return admitted(await devices.find(readCookie(request, 'scan'), isUse), request, reply)
}

/** The device of a request as it is now, whatever other processes have changed. Throws as `requireDevice`. */
export async function refreshedDevice(request: FastifyRequest, reply: FastifyReply, devices: Devices): Promise<Device> {
  const value = readCookie(request, 'scan')
  return admitted(value === undefined ? undefined : await devices.refresh(value), request, reply)
}

function admitted(device: Device | undefined, request: FastifyRequest, reply: FastifyReply): Device {
  if (device === undefined) {
    if (readCookie(request, 'scan') !== undefined) clearCookie(request, reply, 'scan')
    throw new ServiceError('no_session', 'Enrol this device: it has no session, or its session has ended')
  }
  if (!device.allows(request.ip)) throw addressNotAllowed(request.ip)
  return device
}

/**
 * Creates the hook that authenticates calls of operations by a device, with the rights of its key, in the mode in which it was enrolled.
 * The operator is set later: that may read the database, so it follows the rate limit.
 */
export function deviceAuthentication(devices: Devices) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.device = await requireDevice(request, reply, devices)
    request.caller = callerOf(request.device)
  }
}

/** The caller, without its operator. */
export function callerOf(device: Device): Caller {
  const { data_tenant_id: tenantId, mode, key_id: keyId, key_name: keyName, scopes, warehouse_id, warehouse_name } = device
  const session = { id: device.id, tenantId: device.tenant_id, surface: 'scan', operator: null } as const
  return { tenantId, mode, defaultWarehouse: { id: warehouse_id, name: warehouse_name }, keyId, keyName, scopes, session }
}
