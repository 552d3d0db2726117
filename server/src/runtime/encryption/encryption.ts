import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts secrets at rest. */
export interface Encryption {
  encrypt(text: string): Buffer
  /** Throws when the ciphertext was made with an unknown key, or was changed. */
  decrypt(ciphertext: Buffer): string
  /** Re-encrypts the text with the current key; undefined when it already has that key. Throws as `decrypt` does. */
  renew(ciphertext: Buffer): Buffer | undefined
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * AES-256-GCM with a key derived from `secret`, which may have any length. A ciphertext is nonce, tag and encrypted text. `previous` is a
 * second secret that only decrypts. In a rotation it is the new secret until every server knows it, and the old secret from then on.
 */
export function createEncryption(secret: string, previous?: string): Encryption {
  const current = keyOf(secret)
  const other = previous === undefined ? undefined : keyOf(previous)
  const encrypt = (text: string): Buffer => encryptWith(current, text)
  const decryptOther = (ciphertext: Buffer, error: unknown): string => {
    if (other === undefined) throw error
    return decryptWith(other, ciphertext)
  }
  return {
    encrypt,
    decrypt(ciphertext) {
      try {
        return decryptWith(current, ciphertext)
      } catch (error) {
        return decryptOther(ciphertext, error)
      }
    },
    renew(ciphertext) {
      try {
        decryptWith(current, ciphertext)
        return undefined
      } catch (error) {
        return encrypt(decryptOther(ciphertext, error))
      }
    },
  }
}

function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'fulfillment encryption at rest', 32))
}

function encryptWith(key: Buffer, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted])
}

function decryptWith(key: Buffer, ciphertext: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, ciphertext.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(ciphertext.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return decipher.update(ciphertext.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}
