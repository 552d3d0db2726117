import { createHash, randomInt } from 'node:crypto'

/** Crockford's base 32: no letter looks like another letter or a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A pattern for random characters of a code. */
export const CODE_CHARACTER = `[${ALPHABET}]`

/** Random characters that people can read and type, of 5 bits each. */
export function newCode(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

/** The code that a person typed: lower case and look-alike letters are understood. */
export function readCode(text: string): string {
  return text.trim().toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}

/** What is stored of a code. Codes are random, so a plain hash cannot be reversed by guessing. */
export function hashOfCode(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}
