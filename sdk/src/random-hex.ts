/** 32 random hexadecimal digits. Not `crypto.randomUUID`: browsers only have it on https pages. */
export function randomHex(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
