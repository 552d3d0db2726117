import { createHash } from 'node:crypto'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { invalidField } from '../../errors/invalid-field.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Scope } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { sandboxOf } from '../tenants/index.ts'
import { newKeyValue } from './key-value.ts'
import { API_KEY_COLUMNS } from './visible-keys.ts'
import { createApiKeyOutput, type CreatedApiKey, createApiKeyInput, type NewApiKey, PRESETS } from './schemas.ts'

const SHOWN_RANDOM_CHARACTERS = 4
/** Valid keys (neither revoked nor expired) of a tenant and its sandbox together. */
const MAX_VALID_KEYS = 1_000

/** Keys of one tenant are created one at a time, so that concurrent calls cannot exceed the limit. */
const lockTenant = statement<[tenantId: number], never>({
  name: 'lock_tenant_for_key',
  connection: 'write',
  sql: `select from tenants where id = (select coalesce(sandbox_of, id) from tenants where id = $1) for no key update`,
})

/** A separate statement, which sees everything committed before the lock was acquired. A tenant from elsewhere has an id that this database does not hand out. */
const countValidKeys = statement<[tenantId: number], { valid: number; is_moved_here: boolean }>({
  name: 'count_valid_keys',
  connection: 'read',
  notNull: ['is_moved_here'],
  sql: `select count(*) as valid,
     (select $1 not between seqmin and seqmax from pg_sequence where seqrelid = 'tenants_id_seq'::regclass) as is_moved_here
   from tenants t
   join tenants member on member.id = t.id or member.sandbox_of = t.id
   join api_keys k on k.tenant_id = member.id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
   where t.id = (select coalesce(sandbox_of, id) from tenants where id = $1)`,
})

/** Creates a key for the caller's tenant or its sandbox. A key cannot have a scope that the calling key lacks. */
export const createApiKey = endpoint({
  name: 'apiKeys.create',
  scope: 'admin',
  method: 'POST',
  path: '/api-keys',
  summary: 'Create an API key',
  description:
    'The key value is returned once, as `key`. A key cannot have a scope that the calling key lacks. A tenant and its sandbox together have at most 1,000 keys that are neither revoked nor expired.',
  isAddition: true,
  input: createApiKeyInput,
  output: createApiKeyOutput,
  run: async (context, input) => {
    const { caller, db } = context
    const mode = input.mode ?? caller.mode
    if (mode === 'live' && caller.mode === 'test') throw invalidField('mode', 'a test key cannot make a live key')
    const lacking = scopesOf(input).find((scope) => !caller.scopes.includes(scope) && !caller.scopes.includes('admin'))
    if (lacking !== undefined)
      throw new ServiceError('insufficient_scope', `A key cannot grant the scope ${lacking}, which it does not have`)
    const tenantId = mode === caller.mode ? caller.tenantId : (await sandboxOf(db, caller.tenantId)).id
    return insertApiKey(db, tenantId, mode, input)
  },
})

/** Creates a key for a tenant. Its value is not stored. Throws `validation_error` when the tenant has too many keys. */
export async function insertApiKey(
  db: Queryable,
  tenantId: number,
  mode: 'live' | 'test',
  input: Omit<NewApiKey, 'mode'>,
): Promise<CreatedApiKey> {
  const start = `service_${mode}_`
  const { row, key } = await db.transaction(async (tx) => {
    await tx.run(lockTenant, [tenantId])
    const { valid = 0, is_moved_here = false } = (await tx.runOne(countValidKeys, [tenantId])) ?? {}
    if (valid >= MAX_VALID_KEYS) throw tooManyKeys()
    const value = newKeyValue(mode, tenantId, is_moved_here)
    return { row: await insertRow(tx, tenantId, start, value, input), key: value }
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

/** The stored hash of a key. Keys are random, so a plain hash cannot be reversed by guessing. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function scopesOf(input: Pick<NewApiKey, 'scopes' | 'preset'>): Scope[] {
  return typeof input.preset === 'string' ? [...PRESETS[input.preset]] : [...new Set(input.scopes)]
}
