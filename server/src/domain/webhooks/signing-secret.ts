import { randomBytes } from 'node:crypto'

/** A new signing secret. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}
