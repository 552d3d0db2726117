import { lookup } from 'node:dns/promises'
import type { WebhookTargetPolicy } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { isSpecialAddress } from './special-addresses.ts'
import { literalAddress, SPECIAL_ADDRESS_PROBLEM, targetProblem } from './target-rules.ts'

const RESOLUTION_TIME_LIMIT_MS = 3_000

/**
 * Throws `validation_error` for a URL that may not be a receiver's, by itself or because its host name leads to a special address.
 * A name that does not resolve now is accepted: every connection checks the address anew.
 */
export async function requireAllowedTarget(url: string, policy: WebhookTargetPolicy): Promise<void> {
  const problem =
    targetProblem(url, policy) ?? (policy.allowPrivateNetwork ? undefined : await resolutionProblem(new URL(url).hostname))
  if (problem !== undefined)
    throw new ServiceError('validation_error', `url: ${problem}`, { details: [{ path: 'url', error: problem }] })
}

async function resolutionProblem(hostname: string): Promise<string | undefined> {
  if (literalAddress(hostname) !== undefined) return undefined
  const addresses = await Promise.race([resolved(hostname), nothingAfter(RESOLUTION_TIME_LIMIT_MS)])
  return addresses.some(isSpecialAddress) ? SPECIAL_ADDRESS_PROBLEM : undefined
}

/** By the system's resolver, so that names of its hosts file are seen too. */
async function resolved(hostname: string): Promise<string[]> {
  const answers = await lookup(hostname, { all: true }).catch(() => [])
  return answers.map(({ address }) => address)
}

function nothingAfter(timeLimitMs: number): Promise<string[]> {
  return new Promise((resolve) => {
    setTimeout(resolve, timeLimitMs, []).unref()
  })
}
