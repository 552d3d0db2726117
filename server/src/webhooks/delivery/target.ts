import type { Encryption } from '../../encryption.ts'
import { signingKeysOf, type SigningKeys } from './signature.ts'

/** Where a subscription's events go and what signs them, as it is stored. */
export interface StoredTarget {
  url: string
  secret_ciphertext: Buffer
  previous_secret_ciphertext: Buffer | null
  previous_secret_expires_at: string | null
}

export interface Target {
  url: string
  /** The signing secret, and the one before while it still signs too. Undefined when the secret can not be decrypted. */
  secrets: SigningKeys[] | undefined
}

/** The target as of `now`. A previous secret that can not be decrypted does without: the rotation may have been for that. */
export function targetOf(stored: StoredTarget, encryption: Encryption, now: Date): Target {
  const { url, previous_secret_ciphertext: previous, previous_secret_expires_at: expiresAt } = stored
  const current = keysOf(stored.secret_ciphertext, encryption)
  if (current === undefined) return { url, secrets: undefined }
  const before = previous !== null && expiresAt !== null && now < new Date(expiresAt) ? keysOf(previous, encryption) : undefined
  return { url, secrets: before === undefined ? [current] : [current, before] }
}

function keysOf(ciphertext: Buffer, encryption: Encryption): SigningKeys | undefined {
  try {
    return signingKeysOf(encryption.decrypt(ciphertext))
  } catch {
    return undefined
  }
}
