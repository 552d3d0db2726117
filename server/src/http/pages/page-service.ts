import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import {
  findDeviceSession,
  findSession,
  type KnownDevice,
  type KnownSession,
  touchDeviceSession,
  touchSession,
} from '../../domain/sessions/index.ts'
import type { ExportedList } from '../../procedures/exported-list.ts'
import type { Encryption } from '../../runtime/encryption/encryption.ts'
import { readInShard } from '../../shards/read-in-shard.ts'
import type { Shards } from '../../shards/shards.ts'
import type { AdmitDevice } from '../rest.ts'
import { admitDevice } from './device-rules.ts'
import { deviceAuthentication } from './device-sessions.ts'
import {
  admitDeviceRequest,
  type DeviceOptions,
  enrol,
  endDeviceSession,
  readDevice,
  signInWithBadge,
  signOutDevice,
} from './device-sign-in.ts'
import { Exports } from './exports.ts'
import { sendPage } from './page-files.ts'
import { guardPage } from './page-guard.ts'
import type { PageRequest } from './page-request.ts'
import { pageAuthentication } from './page-sessions.ts'
import { Pulses } from './pulses.ts'
import { RefusedSignIns } from './refused-sign-ins.ts'
import { SessionCache } from './session-cache.ts'
import { readSession, signIn, type SignInOptions, signOut } from './sign-in.ts'

export interface PageServiceOptions extends Pick<SignInOptions, 'shards' | 'keys' | 'limit'> {
  encryption: Encryption
  /** The lists that pages export. */
  lists: readonly ExportedList[]
  config: Pick<Config, 'publicUrl' | 'sessionIdleHours' | 'sessionMaxDays'>
  onSignInRefused: () => void
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Handles requests of the pages. */
export class PageService {
  /** Authenticates a call of an operation by a page. */
  readonly authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  readonly admitDevice: AdmitDevice
  readonly sendPage = sendPage
  /** What browsers do with their session of the dashboard, and its pulse. */
  readonly dashboard: Record<'signIn' | 'read' | 'end' | 'pulse', Handler>
  /** What devices do with their session. */
  readonly device: Record<'enrol' | 'read' | 'end' | 'admit' | 'signIn' | 'signOut', Handler>
  readonly exports: Exports
  readonly #sessions: SessionCache<KnownSession>
  readonly #devices: SessionCache<KnownDevice>
  readonly #publicUrl: string | undefined

  constructor({ shards, keys, limit, config, encryption, lists, onSignInRefused }: PageServiceOptions) {
    this.#sessions = dashboardSessions(shards, config.sessionIdleHours)
    this.#devices = deviceSessions(shards)
    this.#publicUrl = config.publicUrl
    const browsers = pageAuthentication(shards, this.#sessions)
    const authenticateDevice = deviceAuthentication(this.#devices)
    this.authenticate = (request, reply) =>
      request.raw.page?.app === 'scan' ? authenticateDevice(request, reply) : browsers.authenticate(request, reply)
    this.admitDevice = (request, reply, endpoint) => admitDevice(shards, this.#devices, request, reply, endpoint)
    const pulses = new Pulses(shards)
    const refused = new RefusedSignIns(shards.directory, onSignInRefused)
    const options: SignInOptions = { shards, keys, limit, config, sessions: this.#sessions, refused }
    this.dashboard = {
      signIn: (request, reply) => signIn(request, reply, options),
      read: (request, reply) => readSession(request, reply, options),
      end: (request, reply) => signOut(request, reply, options),
      pulse: async (request, reply) => {
        await browsers.authenticate(request, reply)
        return await pulses.send(request, reply)
      },
    }
    this.exports = new Exports({ shards, encryption, lists, limit, authentication: browsers })
    this.device = handlersOfDevices({ shards, limit, devices: this.#devices, refused })
  }

  guard(request: FastifyRequest, reply: FastifyReply, page: PageRequest, done: (error?: Error) => void): void {
    guardPage(request, reply, page, this.#publicUrl, done)
  }

  /** Removes a session from the caches. */
  forget(tenantId: number, sessionId: number): void {
    this.#sessions.forget(tenantId, sessionId)
    this.#devices.forget(tenantId, sessionId)
  }

  /** Removes all sessions of an API key from the caches. */
  forgetKey(keyId: number): void {
    this.#sessions.forgetKey(keyId)
    this.#devices.forgetKey(keyId)
  }
}

// On the tenant's connections: a tenant with thousands of sessions must not occupy those of maintenance.
function dashboardSessions(shards: Shards, idleHours: number): SessionCache<KnownSession> {
  return new SessionCache({
    find: (token) => readInShard(shards, token.tenantId, (db) => findSession(db, token, idleHours)),
    touch: (session) => touchSession(shards.of(session.tenant_id).forTenant(session.tenant_id), session),
  })
}

function deviceSessions(shards: Shards): SessionCache<KnownDevice> {
  return new SessionCache({
    find: (token) => readInShard(shards, token.tenantId, (db) => findDeviceSession(db, token)),
    touch: (device) => touchDeviceSession(shards.of(device.tenant_id).forTenant(device.tenant_id), device),
  })
}

function handlersOfDevices(options: DeviceOptions): PageService['device'] {
  return {
    enrol: (request, reply) => enrol(request, reply, options),
    read: (request, reply) => readDevice(request, reply, options),
    end: (request, reply) => endDeviceSession(request, reply, options),
    admit: (request, reply) => admitDeviceRequest(request, reply, options),
    signIn: (request, reply) => signInWithBadge(request, reply, options),
    signOut: (request, reply) => signOutDevice(request, reply, options),
  }
}
