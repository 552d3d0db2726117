import { summary, median } from '../measure.ts'
import type { Bench, Measurement, Row } from '../row.ts'
import { startService } from '../servers.ts'

interface Client {
  products: { get(id: number): Promise<{ id: number }> }
}

/** Row about what the SDK adds to a call. It measures the built SDK, which `npm run bench` sees to. */
export const sdk: Row[] = [
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
    const { FulfillmentClient } = (await import(new URL('../../../sdk/dist/index.js', import.meta.url).href)) as {
      FulfillmentClient: new (options: { apiKey: string; baseUrl: string }) => Client
    }
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
