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
  /** The signing secret, and the one before while it still signs too. Undefined when they can not be decrypted. */
  secrets: SigningKeys[] | undefined
}

/** The target as of `now`. */
export function targetOf(stored: StoredTarget, encryption: Encryption, now: Date): Target {
  const { url, secret_ciphertext: current, previous_secret_ciphertext: previous, previous_secret_expires_at: expiresAt } = stored
  const ciphertexts = previous !== null && expiresAt !== null && now < new Date(expiresAt) ? [current, previous] : [current]
  try {
    return { url, secrets: ciphertexts.map((ciphertext) => signingKeysOf(encryption.decrypt(ciphertext))) }
  } catch {
    return { url, secrets: undefined }
  }
}
