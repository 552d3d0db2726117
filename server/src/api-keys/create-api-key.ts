import { createHash, randomBytes } from 'node:crypto'
import type { RequestContext, Scope } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import { sandboxOf } from '../tenants/index.ts'
import { API_KEY_COLUMNS } from './read-api-keys.ts'
import { PRESETS, type CreatedApiKey, type NewApiKey } from './schemas.ts'

const RANDOM_BYTES = 32
const SHOWN_RANDOM_CHARACTERS = 4
/** Of a tenant and its sandbox together, neither revoked nor expired. */
const MAX_VALID_KEYS = 1_000

/** Those who make keys for the same tenant take turns, so that no two of them make the last one. */
const lockTenant = statement<[tenantId: number], never>(
  'lock_tenant_for_key',
  `select from tenants where id = (select coalesce(sandbox_of, id) from tenants where id = $1) for no key update`,
)

/** Counts in a statement of its own, which sees what was committed before the lock was had. */
const countValidKeys = statement<[tenantId: number], { valid: number }>(
  'count_valid_keys',
  `select count(*) as valid
   from tenants t
   join tenants member on member.id = t.id or member.sandbox_of = t.id
   join api_keys k on k.tenant_id = member.id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
   where t.id = (select coalesce(sandbox_of, id) from tenants where id = $1)`,
)

/** Makes a key for the caller's tenant, or its sandbox. A key can't be given a scope that its creator lacks. */
export async function createApiKey(context: RequestContext, input: NewApiKey): Promise<CreatedApiKey> {
  const { caller, db } = context
  const mode = input.mode ?? caller.mode
  if (mode === 'live' && caller.mode === 'test') {
    throw new ServiceError('validation_error', 'mode: a test key cannot make a live key', {
      details: [{ path: 'mode', error: 'a test key cannot make a live key' }],
    })
  }
  const lacking = scopesOf(input).find((scope) => !caller.scopes.includes(scope) && !caller.scopes.includes('admin'))
  if (lacking !== undefined)
    throw new ServiceError('insufficient_scope', `A key cannot give the scope ${lacking}, which it lacks`)
  const tenantId = mode === caller.mode ? caller.tenantId : (await sandboxOf(db, caller.tenantId)).id
  return insertApiKey(db, tenantId, mode, input)
}

/** Makes a key for a tenant; its value is known only to the caller afterwards. Throws `validation_error` when the tenant has too many. */
export async function insertApiKey(
  db: Queryable,
  tenantId: number,
  mode: 'live' | 'test',
  input: Omit<NewApiKey, 'mode'>,
): Promise<CreatedApiKey> {
  const start = `service_${mode}_`
  const key = start + randomBytes(RANDOM_BYTES).toString('base64url')
  const row = await db.transaction(async (tx) => {
    await tx.run(lockTenant, [tenantId])
    const { valid = 0 } = (await tx.runOne(countValidKeys, [tenantId])) ?? {}
    if (valid >= MAX_VALID_KEYS) throw tooManyKeys()
    return await insertRow(tx, tenantId, start, key, input)
  })
  const { id, name, prefix, ...rest } = row
  return { id, name, prefix, mode, ...rest, scopes: row.scopes as Scope[], key }
}

function tooManyKeys(): ServiceError {
  return new ServiceError(
    'validation_error',
    `A tenant has at most ${MAX_VALID_KEYS} keys that are neither revoked nor expired; revoke one first`,
  )
}

function insertRow({ kysely }: Queryable, tenantId: number, start: string, key: string, input: Omit<NewApiKey, 'mode'>) {
  return kysely
    .insertInto('api_keys')
    .values({
      tenant_id: tenantId,
      name: input.name,
      key_hash: hashApiKey(key),
      prefix: key.slice(0, start.length + SHOWN_RANDOM_CHARACTERS),
      scopes: scopesOf(input),
      ip_whitelist: input.ip_whitelist ?? [],
      expires_at: input.expires_at ?? null,
    })
    .returning(API_KEY_COLUMNS)
    .executeTakeFirstOrThrow()
}

/** What of a key is stored. Keys are random, so a plain hash cannot be reversed by guessing. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function scopesOf(input: Pick<NewApiKey, 'scopes' | 'preset'>): Scope[] {
  return typeof input.preset === 'string' ? [...PRESETS[input.preset]] : [...new Set(input.scopes)]
}
