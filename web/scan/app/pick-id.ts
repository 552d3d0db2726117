const PICK_ID_BYTES = 16

/** 16 random bytes in hexadecimal. Made at the first scan of a pick, so that whatever is repeated later is the same pick. */
export const newPickId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(PICK_ID_BYTES)), (byte) => byte.toString(16).padStart(2, '0')).join('')
