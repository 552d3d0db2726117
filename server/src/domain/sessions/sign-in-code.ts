import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { CODE_CHARACTER, hashOfCode, newCode, readCode } from '../../runtime/one-time-code.ts'

/** 130 bits. */
const LENGTH = 26
const LIFE_MINUTES = 15
/** Of a device's code: it is typed more often, and its life is shorter. */
const DEVICE_LENGTH = 16

/** A one-time code, as it is looked up. */
export interface SignInCode {
  tenantId: number
  hash: Buffer
}

const insertCode = statement<[tenantId: number, hash: Buffer, keyId: number, minutes: number], never>({
  name: 'insert_sign_in_code',
  connection: 'write',
  sql: `insert into sign_in_codes (tenant_id, code_hash, key_id, kind, expires_at)
   values ($1, $2, $3, 'dashboard', now() + make_interval(mins => $4::int))`,
})

/** Makes a code that signs in to the dashboard once, within 15 minutes, with the rights of a key. Only its hash is stored. */
export async function createSignInCode(db: Queryable, { tenantId, keyId }: { tenantId: number; keyId: number }): Promise<string> {
  const random = newCode(LENGTH)
  await db.run(insertCode, [tenantId, hashOfCode(random), keyId, LIFE_MINUTES])
  return `${tenantId}-${random}`
}

const parserOf = (length: number) => {
  const format = new RegExp(`^(\\d{1,15})-(${CODE_CHARACTER}{${length}})$`)
  return (text: string): SignInCode | undefined => {
    const [, tenantId, random] = format.exec(readCode(text)) ?? []
    return random === undefined ? undefined : { tenantId: Number(tenantId), hash: hashOfCode(random) }
  }
}

/** The code that a person gave, or undefined when it cannot be one. Lower case and look-alike letters are understood. */
export const parseSignInCode = parserOf(LENGTH)

/** The same for the code of a device. */
export const parseDeviceCode = parserOf(DEVICE_LENGTH)
