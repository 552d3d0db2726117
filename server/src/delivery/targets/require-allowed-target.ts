import type { WebhookTargetPolicy } from './policy.ts'
import { invalidField } from '../../errors/invalid-field.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { isSpecialAddress } from './special-addresses.ts'
import { literalAddress, SPECIAL_ADDRESS_PROBLEM, targetProblem } from './target-rules.ts'

/** About as long as the timeout of a lookup. */
const RETRY_AFTER_SECONDS = 3

/**
 * Throws `validation_error` for a URL that is not allowed, or whose host name resolves to a special address, and `service_unavailable`
 * while the tenant has too many lookups in progress. A name that does not resolve now is accepted: every connection checks the address
 * again.
 */
export async function requireAllowedTarget(url: string, policy: WebhookTargetPolicy, tenantId: number): Promise<void> {
  const problem = targetProblem(url, policy) ?? (await resolutionProblem(new URL(url).hostname, policy, tenantId))
  if (problem !== undefined) throw invalidField('url', problem)
}

async function resolutionProblem(
  hostname: string,
  { allowPrivateNetwork, names }: WebhookTargetPolicy,
  tenantId: number,
): Promise<string | undefined> {
  if (allowPrivateNetwork || literalAddress(hostname) !== undefined) return undefined
  const addresses = names.resolveAtOnce(hostname, tenantId)
  if (addresses === undefined)
    throw new ServiceError('service_unavailable', 'Too many webhook host names are being resolved; try again', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  return (await addresses.catch(() => [])).some(isSpecialAddress) ? SPECIAL_ADDRESS_PROBLEM : undefined
}
