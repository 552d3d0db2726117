import { setTimeout as delay } from 'node:timers/promises'
import { insertApiKey } from '@fulfillment/server/domain/api-keys/index.ts'
import { createTenant, sandboxOf } from '@fulfillment/server/domain/tenants/index.ts'
import type { Policy } from '../model/reservations/model.ts'
import { Client, Finding, type Surroundings } from './client.ts'
import { WEIGHT_BARCODES } from './features/weight-barcodes.ts'
import { newClient } from './client-state.ts'
import type { Installation } from './installation.ts'
import type { Data } from './operation.ts'
import { Random } from './random.ts'

/** The longest that nothing answers while no fault lasts. */
const UNAVAILABLE_MS = 60_000
export const EXTENSION_TOPICS = ['reservation/updated', 'inbound/updated', 'return/updated', 'count/updated', 'shipment/updated']
export const ALL_TOPICS = ['*', ...EXTENSION_TOPICS]

/** A tenant, or its sandbox, with its clients. */
export interface World {
  name: string
  key: string
  /** Whose deliveries the receiver tells apart. */
  subscriber: string
  /** The signing secret of the tenant's subscription. */
  secret: string
  clients: Client[]
  /** The last event that was compared, and the numbers of all so far. */
  feed: { cursor: string | undefined; ids: Set<string> }
  read(path: string): Promise<Data>
  write(method: string, path: string, body: unknown): Promise<Data>
}

export interface WorldPlan {
  name: string
  policy: Policy
  mode: 'live' | 'test'
  clients: number
}

/** Three tenants with another policy each, and the sandbox of the first one. */
export function planWorlds(clients: number): WorldPlan[] {
  const each = Math.max(1, Math.floor(clients / 4))
  return [
    { name: 'track', policy: 'track', mode: 'live', clients: each + (clients % 4) },
    { name: 'strict', policy: 'strict', mode: 'live', clients: each },
    { name: 'off', policy: 'off', mode: 'live', clients: each },
    { name: 'sandbox', policy: 'track', mode: 'test', clients: each },
  ]
}

let runs = 0
let calls = 0

/** Makes the tenants, and what their clients share: a product, a subscription, the policy; each client gets a warehouse. */
export async function makeWorlds(
  installation: Installation,
  plans: readonly WorldPlan[],
  surroundings: Surroundings,
  seed: number,
): Promise<World[]> {
  const run = ++runs
  const random = new Random(seed)
  const first = await createTenant(installation.db, `simulated ${run}`)
  const worlds: World[] = []
  for (const [index, { name, policy, mode, clients }] of plans.entries()) {
    const tenant =
      mode === 'test'
        ? await sandboxOf(installation.db, first.id)
        : index === 0
          ? first
          : await createTenant(installation.db, `simulated ${run} ${name}`)
    const { key } = await insertApiKey(installation.db, tenant.id, mode, { name: `simulator ${name}`, scopes: ['admin'] })
    const call = async (method: string, path: string, body?: unknown): Promise<Data> => {
      const endsAt = Date.now() + UNAVAILABLE_MS
      const headers = { 'x-api-key': key, ...(method === 'GET' ? {} : { 'idempotency-key': `world ${++calls}` }) }
      for (;;) {
        const { process } = random.of(installation.servers)
        const response = await fetch(`${process.url}/api/v1${path}`, {
          method,
          headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }).catch(() => undefined)
        const answer = (await response?.json().catch(() => undefined)) as Data
        if (response?.status === 200 && answer !== undefined) return answer.data
        // After a fault, Postgres and connections to it may take a moment to come back.
        const isPassing = response === undefined || answer === undefined || response.headers.has('retry-after')
        if (!isPassing || Date.now() > endsAt) throw new Finding(`${method} ${path}: ${JSON.stringify(answer)}`)
        await delay(200)
      }
    }
    const subscriber = `${run}-${name}`
    const webhook = await call('POST', '/webhooks', { name, url: installation.receivers.urlOf(subscriber), events: ALL_TOPICS })
    const [product, plenty, scarce] = [
      await call('POST', '/products', { name: 'shared', barcode: 'shared' }),
      await call('POST', '/products', { name: 'plenty', barcode: 'plenty' }),
      await call('POST', '/products', { name: 'scarce', barcode: 'scarce' }),
    ].map(({ id }) => id as number)
    // The default one: locations come into being there.
    const [warehouse] = (await call('GET', '/warehouses')).warehouses
    const shared = { product, plenty, scarce, warehouse: warehouse.id } as Parameters<typeof newClient>[4]
    await call('PUT', '/settings', { reservation_policy: policy, weight_barcodes: WEIGHT_BARCODES })
    const world: World = {
      name,
      key,
      subscriber,
      secret: webhook.secret,
      clients: [],
      feed: { cursor: undefined, ids: new Set() },
      read: (path) => call('GET', path),
      write: call,
    }
    for (let number = 0; number < clients; number++) {
      const first = await call('POST', '/warehouses', { name: `${name} ${number}` })
      const second = await call('POST', '/warehouses', { name: `${name} ${number}, second` })
      const receiver = installation.receivers.urlOf(`${subscriber}-${number}`)
      const state = newClient(`${name}-${number}`, key, [first.id, second.id], policy, shared, receiver)
      // The same client draws the same calls, whoever else is there.
      world.clients.push(new Client(state, surroundings, new Random(seed * 1_000 + index * 100 + number)))
    }
    worlds.push(world)
  }
  for (const world of worlds) await untilReady(world)
  return worlds
}

/** Waits until a change of the policy has reached all records. */
export async function untilReady(world: World): Promise<void> {
  while ((await world.read('/settings')).reservation_state !== 'ready') await new Promise((resolve) => setTimeout(resolve, 50))
}
