import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import manifest from '../../../package.json' with { type: 'json' }
import type { Config } from '../../config.ts'
import { invalidCode, type KnownSession, parseSessionToken, parseSignInCode, startSession } from '../../domain/sessions/index.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { text } from '../../procedures/fields/fields.ts'
import { invalidInput } from '../../procedures/invalid-input.ts'
import { allowListOf } from '../../runtime/allow-list.ts'
import { untilSwitched } from '../../shards/read-in-shard.ts'
import type { Shards } from '../../shards/shards.ts'
import { requireCaller } from '../authentication.ts'
import type { Guard } from '../guards.ts'
import type { KeyCache } from '../key-cache.ts'
import { BODY_LIMIT } from './body-limit.ts'
import { endSession, endSessionElsewhere } from './end-former-session.ts'
import { clearCookie, readCookie, setCookie } from './page-cookie.ts'
import { modesOf, requireSession } from './page-sessions.ts'
import type { RefusedSignIns } from './refused-sign-ins.ts'
import type { CachedSession, SessionCache } from './session-cache.ts'

/** Services and settings that sign-in needs. */
export interface SignInOptions {
  shards: Shards
  config: Pick<Config, 'publicUrl' | 'sessionMaxDays'>
  keys: KeyCache
  sessions: SessionCache<KnownSession>
  refused: RefusedSignIns
  /** Counts a sign-in with a key against that key. */
  limit: Guard | undefined
}

/** As long as the body may be: a value that is too long is as wrong as any other. */
const credential = text(BODY_LIMIT).optional()
const signInInput = z
  .object({ key: credential, code: credential })
  .refine(({ key, code }) => (key === undefined) !== (code === undefined), { path: ['key'], error: 'give either key or code' })

/** Signs in to the dashboard with a key or a code. The response has the session and its cookie. */
export async function signIn(request: FastifyRequest, reply: FastifyReply, options: SignInOptions) {
  const value = await startWith(request, reply, options)
  setCookie(request, reply, 'dashboard', value, options.config.sessionMaxDays)
  return { success: true, data: sessionData(await found(options.sessions, value), request) }
}

/** The session of the browser. Throws `no_session`. */
export async function readSession(request: FastifyRequest, reply: FastifyReply, { sessions }: SignInOptions) {
  return { success: true, data: sessionData(await requireSession(request, reply, sessions), request) }
}

/** Signs out. Succeeds without a session too. */
export async function signOut(request: FastifyRequest, reply: FastifyReply, options: SignInOptions) {
  await endCurrent(request, options)
  clearCookie(request, reply, 'dashboard')
  return { success: true, data: { message: 'Signed out' } }
}

async function startWith(request: FastifyRequest, reply: FastifyReply, options: SignInOptions): Promise<string> {
  const { shards, sessions, refused, config } = options
  const input = readInput(request.body)
  try {
    const credential = await credentialOf(input, request, reply, options)
    const tenantId = credential.code === undefined ? credential.tenantId : credential.code.tenantId
    const former = parseSessionToken(readCookie(request, 'dashboard'))
    await untilSwitched(shards, tenantId)
    const { value, ended } = await startSession(shards.of(tenantId), {
      credential,
      address: request.ip,
      userAgent: request.headers['user-agent'],
      requestId: request.id,
      maxDays: config.sessionMaxDays,
      former,
      admits: (ipWhitelist) => allowListOf(ipWhitelist)(request.ip),
    })
    ended.push(...(await endSessionElsewhere(shards, former, tenantId, request, 'dashboard')))
    for (const session of ended) sessions.forget(session.tenantId, session.id)
    return value
  } catch (error) {
    throw await refused.errorFor(error, request, 'address')
  }
}

/** Ends the browser's session, if it has one. */
async function endCurrent(request: FastifyRequest, { shards, sessions }: SignInOptions): Promise<void> {
  const value = readCookie(request, 'dashboard')
  const token = parseSessionToken(value)
  if (token === undefined || (await sessions.find(value, false)) === undefined) return
  const ended = await endSession(shards, token, request, 'dashboard')
  for (const { tenantId, id } of ended) sessions.forget(tenantId, id)
}

function readInput(body: unknown): z.infer<typeof signInInput> {
  const { data, error } = signInInput.safeParse(body)
  if (error !== undefined) throw invalidInput(error, { path: '/dashboard/session' })
  return data
}

async function credentialOf(
  { key, code: text = '' }: z.infer<typeof signInInput>,
  request: FastifyRequest,
  reply: FastifyReply,
  { keys, limit }: SignInOptions,
) {
  if (key === undefined) {
    const code = parseSignInCode(text)
    if (code === undefined) throw invalidCode('link')
    return { code }
  }
  const caller = await requireCaller(keys, key.trim(), request.ip)
  request.caller = caller
  await limit?.(request, reply)
  return { tenantId: caller.tenantId, keyId: caller.keyId }
}

/** The session that was just started. */
async function found(sessions: SessionCache<KnownSession>, value: string): Promise<CachedSession<KnownSession>> {
  const session = await sessions.find(value, false)
  if (session === undefined) throw new ServiceError('no_session', 'The session has ended already')
  return session
}

/** The session as pages see it. */
function sessionData(session: CachedSession<KnownSession>, { pageOrigin }: FastifyRequest) {
  const { id, key_id, key_name, key_prefix, key_expires_at, scopes, created_at, expires_at, idle_expires_at } = session
  return {
    id,
    tenant: { id: session.owner_id, name: session.owner_name },
    key: { id: key_id, name: key_name, prefix: key_prefix, expires_at: key_expires_at },
    scopes,
    modes: modesOf(session),
    created_at,
    expires_at,
    idle_expires_at,
    public_url: pageOrigin?.origin,
    version: manifest.version,
  }
}
