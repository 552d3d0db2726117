import { createHash } from 'node:crypto'

/** 132 bits of the hash, in base64url. */
const HASH_CHARACTERS = 22

/** The strong `ETag` of a content, with its quotes. */
export function entityTag(content: Buffer | string): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, HASH_CHARACTERS)}"`
}
