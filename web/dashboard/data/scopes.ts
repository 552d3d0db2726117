import type { ApiKey } from '@fulfillment/sdk'

/** What a key may do. */
export type Scope = ApiKey['scopes'][number]

// By its type a record has every scope that the SDK knows, and no other.
const KNOWN: Record<Scope, true> = {
  'read:orders': true,
  'write:orders': true,
  'read:products': true,
  'write:products': true,
  'read:stock': true,
  'write:stock': true,
  'read:webhooks': true,
  'write:webhooks': true,
  admin: true,
}

/** All scopes, as the documentation lists them. */
export const SCOPES = Object.keys(KNOWN) as Scope[]
