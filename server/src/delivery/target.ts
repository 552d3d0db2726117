import type { Encryption } from '../runtime/encryption/encryption.ts'
import { signingKeysOf, type SigningKeys } from './signature.ts'

/** A subscription's receiver and signing secrets, as stored. */
export interface StoredTarget {
  url: string
  secret_ciphertext: Buffer
  previous_secret_ciphertext: Buffer | null
  previous_secret_expires_at: string | null
  older_secrets: OlderSecret[]
}

/** A secret from before the previous one. */
export interface OlderSecret {
  /** In hexadecimal digits. */
  ciphertext: string
  expires_at: string
}

/** SQL for the `older_secrets` of a subscription `s`. */
export const OLDER_SECRETS = `(
  select coalesce(json_agg(json_build_object('ciphertext', encode(f.secret_ciphertext, 'hex'), 'expires_at', f.expires_at) order by f.id desc), '[]')
  from webhook_former_secrets f where f.tenant_id = s.tenant_id and f.subscription_id = s.id
)`

export interface Target {
  url: string
  /** The signing secret and the replaced secrets that still sign. Undefined when the secret cannot be decrypted. */
  secrets: SigningKeys[] | undefined
}

/** The target as of `now`. A replaced secret that cannot be decrypted is left out: it may be the reason for the rotation. */
export function targetOf(stored: StoredTarget, encryption: Encryption, now: Date): Target {
  const { url, previous_secret_ciphertext: previous, previous_secret_expires_at: expiresAt } = stored
  const current = keysOf(stored.secret_ciphertext, encryption)
  if (current === undefined) return { url, secrets: undefined }
  const newest = previous === null || expiresAt === null ? [] : [{ ciphertext: previous, expires_at: expiresAt }]
  const older = stored.older_secrets.map(({ ciphertext, expires_at }) => ({
    ciphertext: Buffer.from(ciphertext, 'hex'),
    expires_at,
  }))
  const former = [...newest, ...older]
  const before = former
    .filter(({ expires_at }) => now < new Date(expires_at))
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
