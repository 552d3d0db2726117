import type { Encryption } from '../runtime/encryption/encryption.ts'
import { signingKeysOf, type SigningKeys } from './signature.ts'

/** A subscription's receiver and signing secrets, as stored. */
export interface StoredTarget {
  url: string
  secretCiphertext: Buffer
  previousSecretCiphertext: Buffer | null
  previousSecretExpiresAt: string | null
  olderSecrets: OlderSecret[]
}

/** A secret from before the previous one. */
export interface OlderSecret {
  /** In hexadecimal digits. */
  ciphertext: string
  expiresAt: string
}

/** SQL for the columns of a `StoredTarget`, from a subscription `s`. */
export const TARGET_COLUMNS = `s.url, s.secret_ciphertext as "secretCiphertext", s.previous_secret_ciphertext as "previousSecretCiphertext",
  s.previous_secret_expires_at as "previousSecretExpiresAt", (
    select coalesce(json_agg(json_build_object('ciphertext', encode(f.secret_ciphertext, 'hex'), 'expiresAt', f.expires_at) order by f.id desc), '[]')
    from webhook_former_secrets f where f.tenant_id = s.tenant_id and f.subscription_id = s.id
  ) as "olderSecrets"`

export interface Target {
  url: string
  /** The signing secret and the replaced secrets that still sign. Undefined when the secret cannot be decrypted. */
  secrets: SigningKeys[] | undefined
}

/** The target as of `now`. A replaced secret that cannot be decrypted is left out: it may be the reason for the rotation. */
export function targetOf(stored: StoredTarget, encryption: Encryption, now: Date): Target {
  const { url, previousSecretCiphertext: previous, previousSecretExpiresAt: expiresAt } = stored
  const current = keysOf(stored.secretCiphertext, encryption)
  if (current === undefined) return { url, secrets: undefined }
  const newest = previous === null || expiresAt === null ? [] : [{ ciphertext: previous, expiresAt }]
  const older = stored.olderSecrets.map((secret) => ({ ...secret, ciphertext: Buffer.from(secret.ciphertext, 'hex') }))
  const former = [...newest, ...older]
  const before = former
    .filter((secret) => now < new Date(secret.expiresAt))
    .map(({ ciphertext }) => keysOf(ciphertext, encryption))
  return { url, secrets: [current, ...before.filter((keys) => keys !== undefined)] }
}

function keysOf(ciphertext: Buffer, encryption: Encryption): SigningKeys | undefined {
  try {
    return signingKeysOf(encryption.decrypt(ciphertext))
  } catch {
    return undefined
  }
}
