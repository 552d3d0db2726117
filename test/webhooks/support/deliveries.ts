import { createEncryption } from '@fulfillment/server/runtime/encryption/encryption.ts'
import { openDatabase, type Database, type Queryable } from '@fulfillment/server/database/database.ts'
import { statement } from '@fulfillment/server/database/statements/statement.ts'
import { recordEvents } from '@fulfillment/server/domain/events/index.ts'
import { sampleOf, type Topic } from '../../support/topics.ts'
import {
  HostNameResolver,
  startDeliveryEngine,
  type DeliveryEngine,
  type DeliveryEngineOptions,
} from '@fulfillment/server/delivery/index.ts'
import type { TestService, TestTenant } from '../../support/service.ts'
import { until } from '../../support/receiver.ts'

/** A clock that runs like the real one and can be moved forward. */
export class MovedClock {
  #offsetMs = 0

  now(): Date {
    return new Date(Date.now() + this.#offsetMs)
  }

  advance(ms: number): void {
    this.#offsetMs += ms
  }
}

export const encryptionKey = 'encryption key of the tests'

/** A delivery worker, as in a process with ROLE=worker. */
export interface Worker extends DeliveryEngine {
  clock: MovedClock
  db: Database
  /** Moves the clock forward and wakes the worker. */
  advance(ms: number): void
}

export function startWorker(service: TestService, options: Partial<DeliveryEngineOptions> = {}): Worker {
  const clock = new MovedClock()
  const db = openDatabase(service.databaseUrl, { exclusiveConnections: 3, pipelinedConnections: 1 })
  const engine = startDeliveryEngine({
    db,
    encryption: createEncryption(encryptionKey),
    webhookTargets: { allowPrivateNetwork: true, requireHttps: false, names: new HostNameResolver() },
    log: { error: () => {} },
    clock,
    ...options,
  })
  let stopped: Promise<void> | undefined
  return {
    clock,
    db,
    wake: () => engine.wake(),
    advance: (ms) => {
      clock.advance(ms)
      engine.wake()
    },
    stop: (stopOptions) => (stopped ??= engine.stop(stopOptions).then(() => db.close())),
  }
}

export interface Subscription {
  id: string
  secret: string
}

export async function subscribe(tenant: TestTenant, url: string, events: string[] = ['*']): Promise<Subscription> {
  const { status, body } = await tenant.request('POST', '/webhooks', { name: 'test', url, events })
  if (status !== 200) throw new Error(`POST /webhooks responded with ${JSON.stringify(body)}`)
  return body.data
}

const record = statement<[tenantId: number, count: number, topic: string, data: string], { id: string }>({
  name: 'record_test_events',
  connection: 'write',
  sql: `with source as (
     select n as position, $3::text as topic, $4::json as data from generate_series(1, $2::int) n
   ), ${recordEvents('source')}
   select id from recorded_event order by id`,
})

/** Records events with the same SQL as every write. Returns their ids. */
export async function writeEvents(
  { db }: { db: Queryable },
  tenant: TestTenant,
  count: number,
  topic: Topic = 'product/deleted',
): Promise<string[]> {
  const rows = await db.run(record, [tenant.id, count, topic, JSON.stringify(sampleOf(topic))])
  return rows.map(({ id }) => id)
}

/** The deliveries of a subscription, as returned by the API. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function deliveriesOf(tenant: TestTenant, webhookId: string, query = ''): Promise<any[]> {
  const { body } = await tenant.request('GET', `/webhooks/${webhookId}/deliveries?limit=100${query}`)
  return body.data.deliveries
}

/** Waits until the only delivery of a subscription fulfils a condition, and returns it. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function deliveryWhen(tenant: TestTenant, webhookId: string, condition: (delivery: any) => boolean): Promise<any> {
  // oxlint-disable-next-line typescript/no-explicit-any
  let last: any
  await until(async () => {
    ;[last] = await deliveriesOf(tenant, webhookId)
    return last !== undefined && condition(last)
  }, `the delivery of webhook ${webhookId}`)
  return last
}

/** Waits until `count` deliveries of a subscription are in a state. */
export async function countInState(tenant: TestTenant, webhookId: string, state: string, count: number): Promise<void> {
  await until(async () => {
    const { body } = await tenant.request('GET', `/webhooks/${webhookId}/deliveries?limit=1&state=${state}`)
    return body.data.pagination.total === count
  }, `${count} ${state} deliveries`)
}

/** Creates subscriptions without the limit per tenant, as before the limit existed. */
export async function subscribeManyTimes(
  { db }: { db: Database },
  tenant: TestTenant,
  url: string,
  count: number,
): Promise<number[]> {
  const secret = createEncryption(encryptionKey).encrypt('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
  const { rows } = await db.dedicatedPool.query(
    `with subscription as (
       insert into webhook_subscriptions (tenant_id, name, url, events, secret_ciphertext, created_at)
       select $1, 'old', $2, '{*}', $3, now() - interval '1 day' from generate_series(1, $4::int) returning id
     )
     insert into webhook_lanes (tenant_id, subscription_id) select $1, id from subscription returning subscription_id as id`,
    [tenant.id, url, secret, count],
  )
  return rows.map(({ id }: { id: number }) => id)
}

/** Holds all deliveries of a tenant, so that queued deliveries stay unchanged. */
export async function hold({ db }: { db: Database }, tenant: TestTenant): Promise<void> {
  await db.dedicatedPool.query(`update webhook_lanes set held_until = now() + interval '1 day' where tenant_id = $1`, [tenant.id])
}
