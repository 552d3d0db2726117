import type { KnownOperator } from '../store/database.ts'

const MAX_AGE_MS = 30 * 24 * 3_600_000

/** SHA-256 of a badge in hexadecimal; undefined where the browser has no cryptography, over plain HTTP. */
export async function badgeHash(badge: string): Promise<string | undefined> {
  if (!isSecureContext) return undefined
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(badge.trim().toUpperCase()))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The operator of a badge, if they used this device in the last 30 days. */
export async function operatorOfBadge(operators: readonly KnownOperator[], badge: string): Promise<KnownOperator | undefined> {
  const hash = await badgeHash(badge)
  if (hash === undefined) return undefined
  return operators.find(({ badge_hash, used_at }) => badge_hash === hash && Date.now() - used_at < MAX_AGE_MS)
}
