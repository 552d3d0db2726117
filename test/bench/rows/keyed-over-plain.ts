import type { RequestPlan } from '../load/requests.ts'
import { compare, type Contender } from '../measure.ts'
import type { Bench, Measurement, Row } from '../row.ts'
import type { Seed } from '../seed/seed.ts'
import { startService } from '../servers.ts'

const PLANS: Record<string, { title: string; plan: (seed: Seed) => RequestPlan }> = {
  'order-key-over-none': {
    title: 'POST /orders with a key, over without',
    plan: ({ sizes }) => ({ kind: 'createOrder', products: sizes.products }),
  },
  'adjustment-key-over-none': {
    title: 'POST /stock/adjustment with a key, over without',
    plan: ({ service }) => ({ kind: 'adjustStock', ids: service.writtenProducts }),
  },
}

/** Rows that compare requests with an `Idempotency-Key` with the same requests without one. */
export const keyedOverPlain: Row[] = Object.entries(PLANS).map(([name, { title, plan }]) => ({
  name,
  title,
  must: 0.75,
  aim: 0.9,
  higherIsBetter: true,
  unit: 'requests/s',
  measure: (bench) => measure(bench, plan(bench.database.seed)),
}))

async function measure(bench: Bench, plan: RequestPlan): Promise<Measurement> {
  const { seed, url } = bench.database
  const service = await startService(url, bench)
  const one: Contender = { ...service, apiKey: seed.service.written.key, plan }
  try {
    return await compare(bench, { ...one, plan: { ...plan, keyed: true } }, one)
  } finally {
    await service.stop()
  }
}
