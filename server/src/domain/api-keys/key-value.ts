import { randomBytes } from 'node:crypto'

const RANDOM_BYTES = 32
/** Tenants of the shards besides the directory have ids from here on. */
const FIRST_NAMED_ID = 1_000_000
/** 43 characters are random. */
const WITH_TENANT = /^service_(?:live|test)_[A-Za-z0-9_-]{43}_([0-9a-z]{1,6})$/

/**
 * A new key. That of a tenant with an id from a million on, or of one that was moved here from another shard, ends with the id, so that any process
 * finds the tenant's database without a directory of keys.
 */
export function newKeyValue(mode: 'live' | 'test', tenantId: number, isMovedHere = false): string {
  const value = `service_${mode}_${randomBytes(RANDOM_BYTES).toString('base64url')}`
  return tenantId < FIRST_NAMED_ID && !isMovedHere ? value : `${value}_${tenantId.toString(36)}`
}

/** The id of the tenant that a key names; undefined when it names none. */
export function tenantOfKey(value: string): number | undefined {
  const [, id] = WITH_TENANT.exec(value) ?? []
  return id === undefined ? undefined : Number.parseInt(id, 36)
}
