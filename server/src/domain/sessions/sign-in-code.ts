import { createHash, randomInt } from 'node:crypto'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'

/** Crockford's base 32: no letter looks like another letter or a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 130 bits. */
const LENGTH = 26
const LIFE_MINUTES = 15
const FORMAT = new RegExp(`^(\\d{1,15})-([${ALPHABET}]{${LENGTH}})$`)

/** A one-time code, as it is looked up. */
export interface SignInCode {
  tenantId: number
  hash: Buffer
}

const insertCode = statement<[tenantId: number, hash: Buffer, keyId: number, minutes: number], never>({
  name: 'insert_sign_in_code',
  lane: 'write',
  sql: `insert into sign_in_codes (tenant_id, code_hash, key_id, kind, expires_at)
   values ($1, $2, $3, 'dashboard', now() + make_interval(mins => $4::int))`,
})

/** Makes a code that signs in to the dashboard once, within 15 minutes, with the rights of a key. Only its hash is stored. */
export async function createSignInCode(db: Queryable, { tenantId, keyId }: { tenantId: number; keyId: number }): Promise<string> {
  const random = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  await db.run(insertCode, [tenantId, hashOf(random), keyId, LIFE_MINUTES])
  return `${tenantId}-${random}`
}

/** The code that a person gave, or undefined when it cannot be one. Lower case and look-alike letters are understood. */
export function parseSignInCode(text: string): SignInCode | undefined {
  const plain = text.trim().toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  const [, tenantId, random] = FORMAT.exec(plain) ?? []
  return random === undefined ? undefined : { tenantId: Number(tenantId), hash: hashOf(random) }
}

const hashOf = (random: string): Buffer => createHash('sha256').update(random).digest()
