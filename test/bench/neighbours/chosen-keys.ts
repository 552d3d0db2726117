import { randomBytes } from 'node:crypto'

// Postgres's hash functions (src/common/hashfn.c, based on Bob Jenkins's lookup3). Each step is invertible, so the inverse steps lead from
// a hash to a text. A 64-bit hash leaves the third word of the state free. About one value in 166,000 for this word leads to a text of
// printable characters.

type Words = [a: number, b: number, c: number]

const WORD = 0xffff_ffffn
const CATALOG_SEED = 7_300n
const FIRST_PRINTABLE = 0x21
const LAST_PRINTABLE = 0x7e

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits))

/** The lock of an order: `hashtextextended('order', id)`. */
export function orderLock(id: number): bigint {
  const [a, b, c] = seeded(5, BigInt(id))
  const text = Buffer.from('order')
  return hashOf(finished([(a + text.readInt32LE(0)) | 0, (b + text.readUInt8(4)) | 0, c]))
}

/** The lock of a tenant's catalog: `hashint8extended(tenant, 7300)`. */
export function catalogLock(tenantId: number): bigint {
  const [a, b, c] = seeded(4, CATALOG_SEED)
  return hashOf(finished([(a + tenantId) | 0, b, c]))
}

/** Returns a text of 12 characters for which `hashtextextended(text, tenant)` is `lock`. */
export function keyForLock(lock: bigint, tenantId: number): string {
  const start = seeded(12, BigInt(tenantId))
  const b = Number((lock >> 32n) & WORD) | 0
  const c = Number(lock & WORD) | 0
  const key = Buffer.alloc(12)
  for (let a = randomBytes(4).readInt32LE(); ; a = (a + 1) | 0) {
    const mixed = unmixed(unfinished([a, b, c]))
    for (const [index, word] of mixed.entries()) key.writeInt32LE((word - (start[index] as number)) | 0, index * 4)
    if (key.every((byte) => byte >= FIRST_PRINTABLE && byte <= LAST_PRINTABLE)) return key.toString('latin1')
  }
}

const hashOf = ([, b, c]: Words): bigint => (BigInt(b >>> 0) << 32n) | BigInt(c >>> 0)

function seeded(length: number, seed: bigint): Words {
  const word = (0x9e37_79b9 + length + 3_923_095) | 0
  if (seed === 0n) return [word, word, word]
  return mixed([(word + Number((seed >> 32n) & WORD)) | 0, (word + Number(seed & WORD)) | 0, word])
}

function mixed([a, b, c]: Words): Words {
  a = (a - c) ^ rotate(c, 4)
  c = (c + b) | 0
  b = (b - a) ^ rotate(a, 6)
  a = (a + c) | 0
  c = (c - b) ^ rotate(b, 8)
  b = (b + a) | 0
  a = (a - c) ^ rotate(c, 16)
  c = (c + b) | 0
  b = (b - a) ^ rotate(a, 19)
  a = (a + c) | 0
  c = (c - b) ^ rotate(b, 4)
  b = (b + a) | 0
  return [a, b, c]
}

function unmixed([a, b, c]: Words): Words {
  b = (b - a) | 0
  c = ((c ^ rotate(b, 4)) + b) | 0
  a = (a - c) | 0
  b = ((b ^ rotate(a, 19)) + a) | 0
  c = (c - b) | 0
  a = ((a ^ rotate(c, 16)) + c) | 0
  b = (b - a) | 0
  c = ((c ^ rotate(b, 8)) + b) | 0
  a = (a - c) | 0
  b = ((b ^ rotate(a, 6)) + a) | 0
  c = (c - b) | 0
  a = ((a ^ rotate(c, 4)) + c) | 0
  return [a, b, c]
}

function finished([a, b, c]: Words): Words {
  c = ((c ^ b) - rotate(b, 14)) | 0
  a = ((a ^ c) - rotate(c, 11)) | 0
  b = ((b ^ a) - rotate(a, 25)) | 0
  c = ((c ^ b) - rotate(b, 16)) | 0
  a = ((a ^ c) - rotate(c, 4)) | 0
  b = ((b ^ a) - rotate(a, 14)) | 0
  c = ((c ^ b) - rotate(b, 24)) | 0
  return [a, b, c]
}

function unfinished([a, b, c]: Words): Words {
  c = ((c + rotate(b, 24)) ^ b) | 0
  b = ((b + rotate(a, 14)) ^ a) | 0
  a = ((a + rotate(c, 4)) ^ c) | 0
  c = ((c + rotate(b, 16)) ^ b) | 0
  b = ((b + rotate(a, 25)) ^ a) | 0
  a = ((a + rotate(c, 11)) ^ c) | 0
  c = ((c + rotate(b, 14)) ^ b) | 0
  return [a, b, c]
}
