import type { Database } from '../../database/database.ts'
import type { Transaction } from '../../database/connections/queryable.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { recordEntry } from '../audit/index.ts'
import { endSessionOf, type EndedSession } from './end-session-of.ts'
import { invalidCode } from './invalid-code.ts'
import { requireSessionKey, storedUserAgent } from './session-key.ts'
import { newSessionToken, type SessionToken } from './session-token.ts'
import type { SignInCode } from './sign-in-code.ts'

/** Dashboard sessions of a key at the same time; with one more, the oldest ends. */
const MAX_SESSIONS = 50

/** What signs in: a key that was found by its value, or a one-time code. */
export type Credential = { tenantId: number; keyId: number } | { code: SignInCode }

/** A sign-in to the dashboard. */
export interface SignIn {
  credential: Credential
  address: string
  userAgent: string | undefined
  requestId: string
  /** Life of the session, from now on. */
  maxDays: number
  /** The session that the browser had, which ends. */
  former: SessionToken | undefined
  /** Whether an allow-list admits the address. */
  admits: (ipWhitelist: string[]) => boolean
}

/** The new session, and those that ended for it. */
export interface StartedSession {
  /** For the browser's cookie. */
  value: string
  ended: EndedSession[]
}

const selectCode = statement<[tenantId: number, hash: Buffer], { key_id: number }>({
  name: 'find_sign_in_code',
  connection: 'read',
  sql: `select key_id from sign_in_codes
   where tenant_id = $1 and code_hash = $2 and kind = 'dashboard' and used_at is null and expires_at > now()`,
})

const redeemCode = statement<[tenantId: number, hash: Buffer], { key_id: number }>({
  name: 'redeem_sign_in_code',
  connection: 'write',
  sql: `update sign_in_codes set used_at = now()
   where tenant_id = $1 and code_hash = $2 and kind = 'dashboard' and used_at is null and expires_at > now() returning key_id`,
})

const insertSession = statement<
  [
    tenantId: number,
    keyId: number,
    hash: Buffer,
    mode: 'live' | 'test',
    address: string,
    userAgent: string | undefined,
    maxDays: number,
  ],
  { id: number; is_new: boolean }
>({
  name: 'insert_session',
  connection: 'write',
  sql: `with surplus as (
     select id from sessions
     where tenant_id = $1 and key_id = $2 and kind = 'dashboard' and ended_at is null and expires_at > now()
     order by created_at desc, id desc offset ${MAX_SESSIONS - 1}
   ), ended as (
     update sessions set ended_at = now() where tenant_id = $1 and id = any (array(select id from surplus)) returning id
   ), session as (
     insert into sessions (tenant_id, key_id, kind, token_hash, mode, address, user_agent, expires_at)
     values ($1, $2, 'dashboard', $3, $4, $5, $6, now() + make_interval(days => $7::int))
     returning id
   )
   select id, true as is_new from session union all select id, false from ended`,
})

/**
 * Starts a session of the dashboard, with a new token, and ends the one that the browser had. Throws `invalid_code` or `invalid_api_key`
 * when the code or its key is not valid, and `ip_not_allowed`; the code is not spent then.
 */
export async function startSession(db: Database, signIn: SignIn): Promise<StartedSession> {
  const { credential, former } = signIn
  const tenantId = 'code' in credential ? credential.code.tenantId : credential.tenantId
  // Guesses take no connection of the tenant that they name.
  if ('code' in credential && (await db.runOne(selectCode, [tenantId, credential.code.hash])) === undefined)
    throw invalidCode('link')
  const token = newSessionToken(tenantId)
  const ended = await db.forTenant(tenantId).transaction(async (tx) => {
    const started = await insert(tx, token, signIn)
    const left = former === undefined ? [] : await endSessionOf(tx, former, { ...signIn, kind: 'dashboard' })
    return [...started, ...left]
  })
  return { value: token.value, ended }
}

async function insert(tx: Transaction, token: SessionToken, signIn: SignIn): Promise<EndedSession[]> {
  const { credential, address, requestId } = signIn
  const { tenantId } = token
  const keyId = 'code' in credential ? await redeem(tx, credential.code) : credential.keyId
  const key = await requireSessionKey(tx, { tenantId, keyId }, signIn, () => invalidCredential(credential))
  const mode = key.is_sandbox ? 'test' : 'live'
  const userAgent = storedUserAgent(signIn.userAgent)
  const rows = await tx.run(insertSession, [tenantId, keyId, token.hash, mode, address, userAgent, signIn.maxDays])
  const id = rows.find(({ is_new }) => is_new)?.id as number
  const endedIds = rows.filter(({ is_new }) => !is_new).map((row) => row.id)
  const actor = { tenantId, keyId, keyName: key.name, address, requestId, surface: 'dashboard', sessionId: id } as const
  const way = 'code' in credential ? 'link' : 'key'
  await recordEntry(tx, { ...actor, operation: 'sessions.start', input: { way } })
  for (const endedId of endedIds) await recordEntry(tx, { ...actor, operation: 'sessions.end', input: { id: endedId } })
  return endedIds.map((endedId) => ({ tenantId, id: endedId }))
}

async function redeem(tx: Transaction, code: SignInCode): Promise<number> {
  const row = await tx.runOne(redeemCode, [code.tenantId, code.hash])
  if (row === undefined) throw invalidCode('link')
  return row.key_id
}

function invalidCredential(credential: Credential): ServiceError {
  return 'code' in credential ? invalidCode('link') : new ServiceError('invalid_api_key', 'The API key is unknown or revoked')
}
