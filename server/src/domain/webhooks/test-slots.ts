import { ServiceError } from '../../errors/service-error.ts'

/** Test calls in flight in this process, of a subscription and of a tenant. Each has a connection of its own to the receiver. */
const MAX_OF_SUBSCRIPTION = 10
const MAX_OF_TENANT = 50
const RETRY_AFTER_SECONDS = 1

/** Limits the test calls in flight: a receiver that does not respond holds each for 15 seconds. */
export class TestSlots {
  /** The subscriptions of a tenant's test calls, each as often as it has one in flight. */
  readonly #taken = new Map<number, number[]>()

  /** Takes a slot until the returned function is called. Throws `service_unavailable` when the subscription or the tenant has no more. */
  take(tenantId: number, subscriptionId: number): () => void {
    const taken = this.#taken.get(tenantId) ?? []
    const ofSubscription = taken.filter((id) => id === subscriptionId).length
    if (ofSubscription >= MAX_OF_SUBSCRIPTION) throw refusal('this subscription', MAX_OF_SUBSCRIPTION)
    if (taken.length >= MAX_OF_TENANT) throw refusal('this tenant', MAX_OF_TENANT)
    this.#taken.set(tenantId, [...taken, subscriptionId])
    return () => this.#giveBack(tenantId, subscriptionId)
  }

  #giveBack(tenantId: number, subscriptionId: number): void {
    const taken = this.#taken.get(tenantId) ?? []
    const left = taken.toSpliced(taken.indexOf(subscriptionId), 1)
    if (left.length === 0) this.#taken.delete(tenantId)
    else this.#taken.set(tenantId, left)
  }
}

function refusal(whose: string, most: number): ServiceError {
  return new ServiceError(
    'service_unavailable',
    `${most} test calls of ${whose} are already waiting for a response; try again when one has ended`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
}
