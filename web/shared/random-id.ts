const BYTES = 16

/** 16 random bytes in hexadecimal. `crypto.randomUUID` exists in secure contexts only, and pages may be served over plain HTTP. */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) => byte.toString(16).padStart(2, '0')).join('')
