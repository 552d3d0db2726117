import { sql } from 'kysely'
import { describe, expect, vi } from 'vitest'
import { it } from './support/it.ts'
import type { ServiceResponse, TestService, TestTenant } from '../support/service.ts'
import { expectConsistentStock, newProduct } from '../support/stock.ts'

const atOnce = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

interface Change {
  product: { id: number; sku: string }
  from: number
  to: number
  /** An `Idempotency-Key`. */
  key?: string
}

const options = (key: string | undefined) => (key === undefined ? {} : { headers: { 'idempotency-key': key } })

/** The calls that set a level from a quantity to another. Each responds with whether it did, and with the level that it met if not. */
const CALLS: Record<string, (tenant: TestTenant, change: Change) => Promise<{ isDone: boolean; met: unknown }>> = {
  set: async (tenant, { product, from, to, key }) => {
    const body = { location_id: 'A', quantity: to, expected_quantity: from }
    return resultOf(await tenant.request('PUT', `/stock/product/${product.id}`, body, options(key)))
  },
  adjustment: async (tenant, { product, from, to, key }) => {
    const body = { sku: product.sku, location_id: 'A', adjustment_quantity: to - from, expected_quantity: from }
    return resultOf(await tenant.request('POST', '/stock/adjustment', body, options(key)))
  },
  bulk: async (tenant, { product, from, to, key }) => {
    const updates = [{ product_id: product.id, location_id: 'A', quantity: to, expected_quantity: from }]
    const { body } = await tenant.request('POST', '/stock/bulk', { updates }, options(key))
    return { isDone: body.data.success === 1, met: body.data.errors[0]?.current_quantity }
  },
}

function resultOf({ status, body }: ServiceResponse): { isDone: boolean; met: unknown } {
  expect([200, 409]).toContain(status)
  return { isDone: status === 200, met: body.error?.details[0].current_quantity }
}

const NAMES = Object.keys(CALLS)

async function levelOf(tenant: TestTenant, { sku }: { sku: string }): Promise<number> {
  return (await tenant.request('GET', `/stock/sku/${sku}`)).body.data.total_quantity
}

async function waitForALockWait(service: TestService): Promise<void> {
  const waiting = sql<{ count: number }>`
    select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await vi.waitFor(async () => expect((await waiting.execute(service.db.kysely)).rows[0]?.count).toBeGreaterThan(0), {
    timeout: 60_000,
  })
}

describe('of many calls with one expected_quantity, one succeeds', () => {
  const mixes: Record<string, string[]> = { ...Object.fromEntries(NAMES.map((name) => [name, [name]])), 'all three': NAMES }
  it.for(Object.entries(mixes).flatMap(([name, calls]) => [true, false].map((isKeyed) => ({ name, calls, isKeyed }))))(
    '$name (with keys: $isKeyed)',
    async ({ calls, isKeyed }, { service, tenant }) => {
      const product = await newProduct(tenant)
      for (let round = 0; round < 4; round++) {
        const from = await levelOf(tenant, product)
        const results = await atOnce(30, (index) => {
          const to = from + 1 + index
          const call = CALLS[calls[index % calls.length] as string]!
          return call(tenant, { product, from, to, ...(isKeyed ? { key: `${round} ${index}` } : {}) })
        })
        const level = await levelOf(tenant, product)
        expect(results.filter(({ isDone }) => isDone)).toHaveLength(1)
        expect(results[level - from - 1]).toMatchObject({ isDone: true })
        // Each of the others names the level that the first one left.
        expect(new Set(results.filter(({ isDone }) => !isDone).map(({ met }) => met))).toEqual(new Set([level]))
      }
      expect((await tenant.request('GET', '/stock/movements')).body.data.pagination.total).toBe(4)
      await expectConsistentStock(service.db, tenant)
    },
  )

  it('counts up without losing one when each repeats until it succeeds', async ({ service, tenant }) => {
    const product = await newProduct(tenant)
    await atOnce(12, async (index) => {
      const call = CALLS[NAMES[index % NAMES.length] as string]!
      for (let from = 0; ;) {
        const { isDone, met } = await call(tenant, { product, from, to: from + 1 })
        if (isDone) return
        from = met as number
      }
    })
    expect(await levelOf(tenant, product)).toBe(12)
    await expectConsistentStock(service.db, tenant)
  })
})

describe('a level that another caller makes while a call waits', () => {
  it.for(NAMES.flatMap((name) => [undefined, 'a key'].map((key) => ({ name, key }))))(
    'is compared as it became: $name (key: $key)',
    async ({ name, key }, { service, tenant }) => {
      const product = await newProduct(tenant)
      const other = await newProduct(tenant)
      await tenant.request('PUT', `/stock/product/${other.id}`, { location_id: 'A', quantity: 1 })
      const warehouse = (await tenant.request('GET', '/warehouses')).body.data.warehouses[0].id as number
      const call = CALLS[name]!
      const response = await service.db.kysely.transaction().execute(async (tx) => {
        // The call sees no level, and waits for this one.
        const level = { tenant_id: tenant.id, product_id: product.id, location_id: 'A', warehouse_id: warehouse, quantity: 7 }
        await tx.insertInto('stock_levels').values(level).execute()
        const pending = call(tenant, { product, from: 0, to: 5, ...(key === undefined ? {} : { key }) })
        await waitForALockWait(service)
        return { pending }
      })
      expect(await response.pending).toEqual({ isDone: false, met: 7 })
      expect(await levelOf(tenant, product)).toBe(7)
    },
  )
})

it('calls that compare, and calls that do not, take their locks in one order', async ({ service, tenant }) => {
  const products = await atOnce(8, () => newProduct(tenant))
  const responses = await atOnce(24, (index) => {
    const items = products.flatMap(({ id }) =>
      ['A', 'B', `new ${index % 3}`].map((location_id) => ({
        product_id: id,
        location_id,
        quantity: index,
        ...(index % 2 === 0 ? { expected_quantity: 0 } : {}),
      })),
    )
    return tenant.request('POST', '/stock/bulk', { updates: index % 4 < 2 ? items : items.toReversed() })
  })
  expect(responses.map(({ status }) => status)).toEqual(Array(24).fill(200))
  const { deadlocks } = (
    await sql<{ deadlocks: number }>`select deadlocks from pg_stat_database where datname = current_database()`.execute(
      service.db.kysely,
    )
  ).rows[0]!
  expect(deadlocks).toBe(0)
  await expectConsistentStock(service.db, tenant)
})
