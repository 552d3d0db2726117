import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KnownSession } from '../../domain/sessions/index.ts'
import { sandboxOf } from '../../domain/tenants/index.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Caller } from '../../procedures/context.ts'
import type { Shards } from '../../shards/shards.ts'
import { addressNotAllowed } from '../authentication.ts'
import { clearCookie, readCookie } from './page-cookie.ts'
import type { CachedSession, SessionCache } from './session-cache.ts'

type Mode = Caller['mode']
type Session = CachedSession<KnownSession>
type Sessions = SessionCache<KnownSession>

/** The session of a request. A background poll does not count as use of it. Throws `no_session`, `ip_not_allowed`. */
export async function requireSession(request: FastifyRequest, reply: FastifyReply, sessions: Sessions): Promise<Session> {
  const value = readCookie(request, 'dashboard')
  const session = await sessions.find(value, request.headers['x-page-background'] !== '1')
  if (session === undefined) {
    if (value !== undefined) clearCookie(request, reply, 'dashboard')
    throw ended()
  }
  if (!session.allows(request.ip)) throw addressNotAllowed(request.ip)
  return session
}

/** The modes whose data a session can access: that of its key, and the sandbox if the key may create test keys. */
export function modesOf({ is_sandbox, scopes }: Session): Mode[] {
  if (is_sandbox) return ['test']
  return scopes.includes('admin') ? ['live', 'test'] : ['live']
}

/** Authenticates requests of the dashboard: by its session, with the rights of its key. */
export interface PageAuthentication {
  /** Sets the caller, in the mode of the header `X-Page-Mode`. Throws `no_session` if `X-Page-Tenant` is another tenant. */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** The caller of a navigation, which cannot have the header. */
  callerInMode(request: FastifyRequest, reply: FastifyReply, mode: Mode): Promise<Caller>
  /** Throws when the session of a caller has ended since, for a response that takes long. */
  requireStill(request: FastifyRequest, caller: Caller): Promise<void>
}

export function pageAuthentication(shards: Shards, sessions: Sessions): PageAuthentication {
  return {
    authenticate: async (request, reply) => {
      const session = await requireSession(request, reply, sessions)
      requireTenantOf(request, session)
      request.caller = await callerOf(shards, sessions, request, session, headerModeOf(request))
    },
    callerInMode: async (request, reply, mode) =>
      await callerOf(shards, sessions, request, await requireSession(request, reply, sessions), mode),
    requireStill: async (request, caller) => {
      const session = await sessions.find(readCookie(request, 'dashboard'), false)
      if (session === undefined || session.id !== caller.session?.id) throw ended()
      if (!session.allows(request.ip)) throw addressNotAllowed(request.ip)
    },
  }
}

async function callerOf(
  shards: Shards,
  sessions: Sessions,
  request: FastifyRequest,
  session: Session,
  mode: Mode,
): Promise<Caller> {
  requireMode(mode, session)
  const { tenant_id: tenantId, key_id: keyId, key_name: keyName, scopes, warehouse_id: id, warehouse_name: name } = session
  const surface = { id: session.id, tenantId, surface: 'dashboard', operator: null } as const
  const readsAfter = positionOf(request)
  const caller = { tenantId, mode, defaultWarehouse: { id, name }, keyId, keyName, scopes, session: surface, readsAfter }
  if (mode === 'live' || session.is_sandbox) return caller
  const sandbox = session.sandbox_id === null ? await withSandbox(shards, sessions, request, session) : session
  const defaultWarehouse = { id: sandbox.sandbox_warehouse_id as number, name: sandbox.sandbox_warehouse_name as string }
  return { ...caller, tenantId: sandbox.sandbox_id as number, defaultWarehouse }
}

/** The position that the page got with a pulse: what it reads must not be older. */
function positionOf({ headers }: FastifyRequest): number {
  const position = Number(headers['x-page-position'] ?? 0)
  return Number.isSafeInteger(position) ? position : 0
}

function headerModeOf({ headers }: FastifyRequest): Mode {
  const mode = headers['x-page-mode']
  if (mode !== 'live' && mode !== 'test') throw new ServiceError('validation_error', 'X-Page-Mode must be live or test')
  return mode
}

/**
 * All tabs of a browser share its cookie. So a page that shows one tenant gets the session of another after a sign-in in another tab. The
 * cookie stays: that tab goes on with it.
 */
function requireTenantOf({ headers }: FastifyRequest, { owner_id }: Session): void {
  const tenant = headers['x-page-tenant']
  if (tenant === undefined || tenant === String(owner_id)) return
  throw new ServiceError('no_session', 'Sign in: the session of this browser is now that of another tenant')
}

function requireMode(mode: Mode, session: Session): void {
  if (modesOf(session).includes(mode)) return
  throw new ServiceError(
    'insufficient_scope',
    mode === 'test' ? 'This API key lacks the scope admin, which test data needs' : 'A test key has no access to live data',
  )
}

/** Creates the tenant's sandbox at its first use, and reads the session again. */
async function withSandbox(shards: Shards, sessions: Sessions, request: FastifyRequest, session: Session): Promise<Session> {
  await sandboxOf(shards.of(session.tenant_id), session.tenant_id)
  sessions.forget(session.tenant_id, session.id)
  const again = await sessions.find(readCookie(request, 'dashboard'), false)
  if (again === undefined) throw new ServiceError('no_session', 'Sign in: the session of this browser has ended')
  return again
}

function ended(): ServiceError {
  return new ServiceError('no_session', 'Sign in: this browser has no session, or it has ended')
}
