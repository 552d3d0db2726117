import { ServiceError } from '../../errors/service-error.ts'

/** A subscription's id from its text; undefined for any other text. */
export function parseSubscriptionId(id: string): number | undefined {
  const number = /^[1-9]\d{0,15}$/.test(id) ? Number(id) : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}

/** A subscription's id from its text in a path. Throws `not_found` for any other text. */
export function subscriptionIdOf(id: string): number {
  const number = parseSubscriptionId(id)
  if (number === undefined) throw webhookNotFound()
  return number
}

export function webhookNotFound(): ServiceError {
  return new ServiceError('not_found', 'Subscription not found')
}
