import { Agent } from 'undici'
import { lookupFor } from './targets/lookup.ts'
import type { WebhookTargetPolicy } from './targets/policy.ts'

/** Connections of a tenant. Loaded for the first request: undici takes a tenth of a start. */
export function openAgent(tenantId: number, policy: WebhookTargetPolicy, connectTimeoutMs: number): Agent {
  // The connection's own name resolution does the check. A second resolution could return another address (DNS rebinding).
  return new Agent({ allowH2: false, connectTimeout: connectTimeoutMs, connect: { lookup: lookupFor(tenantId, policy) } })
}
