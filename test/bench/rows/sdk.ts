import { makeRequest } from '../load/requests.ts'
import { CONNECTIONS, median, summary } from '../measure.ts'
import type { Bench, Measurement, Row } from '../row.ts'
import { startService } from '../servers.ts'
import { call } from '../service-client.ts'

/** Rows about the overhead of the SDK. They measure the built SDK; `npm run bench` builds it. */
export const sdk: Row[] = [
  {
    name: 'sdk-orders',
    title: '`client.orders.create`, with a key, over plain `fetch` without, 64 at a time',
    must: 0.7,
    aim: 0.85,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: measureOrders,
  },
  {
    name: 'sdk-overhead',
    title: 'a call with the SDK, over plain fetch',
    must: 1.15,
    aim: 1.05,
    higherIsBetter: false,
    unit: 'ms',
    measure,
  },
]

async function measure(bench: Bench): Promise<Measurement> {
  const { seed, url } = bench.database
  const server = await startService(url)
  try {
    const baseUrl = `http://127.0.0.1:${server.port}`
    const { key } = seed.service.large
    // Imported here: the other rows need no build.
    const { FulfillmentClient } = await import('@fulfillment/sdk')
    const client = new FulfillmentClient({ apiKey: key, baseUrl })
    const [id] = seed.service.products
    const plain = async (): Promise<unknown> => {
      const response = await fetch(`${baseUrl}/api/v1/products/${id}`, {
        headers: { 'x-api-key': key, accept: 'application/json' },
      })
      return ((await response.json()) as { data: unknown }).data
    }
    return await inTurns(bench, () => client.products.get(id), plain)
  } finally {
    await server.stop()
  }
}

async function measureOrders(bench: Bench): Promise<Measurement> {
  const { seed, url } = bench.database
  const server = await startService(url)
  try {
    const baseUrl = `http://127.0.0.1:${server.port}`
    const { key } = seed.service.written
    const { FulfillmentClient } = await import('@fulfillment/sdk')
    const client = new FulfillmentClient({ apiKey: key, baseUrl })
    type Order = Parameters<typeof client.orders.create>[0]
    const newOrder = (): Order => makeRequest({ kind: 'createOrder', products: seed.sizes.products }).body as Order
    const withSdk = (): Promise<unknown> => client.orders.create(newOrder())
    const plain = (): Promise<unknown> => call(server, key, 'POST', '/orders', newOrder() as object)
    for (const one of [withSdk, plain]) await perSecond(one, bench.warmUpSeconds)
    const pairs: { sdk: number; plain: number }[] = []
    for (let round = 0; round < bench.rounds; round++)
      pairs.push({ sdk: await perSecond(withSdk, bench.seconds), plain: await perSecond(plain, bench.seconds) })
    return {
      ...summary(pairs.map((pair) => pair.sdk / pair.plain)),
      median: median(pairs.map((pair) => pair.sdk)),
      foreignCores: NaN,
      notes: [`plain fetch: ${median(pairs.map((pair) => pair.plain)).toFixed(0)} per second`],
    }
  } finally {
    await server.stop()
  }
}

/** Calls per second, with as many callers as in the other rows. */
async function perSecond(one: () => Promise<unknown>, seconds: number): Promise<number> {
  const started = performance.now()
  let calls = 0
  const caller = async (): Promise<void> => {
    while (performance.now() - started < seconds * 1_000) {
      await one()
      calls++
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, caller))
  return (calls / (performance.now() - started)) * 1_000
}

async function inTurns(bench: Bench, withSdk: () => Promise<unknown>, plain: () => Promise<unknown>): Promise<Measurement> {
  const calls = bench.short ? 20 : 500
  const rounds = bench.rounds * 4
  for (const one of [withSdk, plain]) await timeOf(one, calls)
  const pairs: { sdk: number; plain: number }[] = []
  for (let round = 0; round < rounds; round++)
    pairs.push({ sdk: await timeOf(withSdk, calls), plain: await timeOf(plain, calls) })
  const notes = [`plain fetch: ${median(pairs.map((pair) => pair.plain)).toFixed(3)} ms`]
  return {
    ...summary(pairs.map((pair) => pair.sdk / pair.plain)),
    median: median(pairs.map((pair) => pair.sdk)),
    foreignCores: NaN,
    notes,
  }
}

async function timeOf(call: () => Promise<unknown>, calls: number): Promise<number> {
  const started = performance.now()
  for (let index = 0; index < calls; index++) await call()
  return (performance.now() - started) / calls
}
