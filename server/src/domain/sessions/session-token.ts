import { createHash, randomBytes } from 'node:crypto'

const RANDOM_BYTES = 32
const FORMAT = /^(\d{1,15})\.([A-Za-z0-9_-]{43})$/

/** What a browser keeps of a session. Only the hash of its random part is stored. */
export interface SessionToken {
  tenantId: number
  hash: Buffer
}

/** A new token of a tenant, with the value for the browser's cookie. */
export function newSessionToken(tenantId: number): SessionToken & { value: string } {
  const random = randomBytes(RANDOM_BYTES).toString('base64url')
  return { tenantId, hash: hashOf(random), value: `${tenantId}.${random}` }
}

/** The token in a cookie's value, or undefined when it cannot be one. */
export function parseSessionToken(value: string | undefined): SessionToken | undefined {
  const [, tenantId, random] = FORMAT.exec(value ?? '') ?? []
  return random === undefined ? undefined : { tenantId: Number(tenantId), hash: hashOf(random) }
}

/** Tokens are random, so a plain hash cannot be reversed by guessing. */
const hashOf = (random: string): Buffer => createHash('sha256').update(random).digest()
