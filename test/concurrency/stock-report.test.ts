import { describe, expect } from 'vitest'
import { foldAllCounts } from '@fulfillment/server/maintenance.ts'
import { it } from '../support/it.ts'
import { expectConsistentStock, newProduct } from '../support/stock.ts'

const DAY_MS = 86_400_000
const dayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)

describe('the report of stock while stock changes', () => {
  it('takes levels, folded and other changes from one moment', async ({ service, tenant }) => {
    const product = await newProduct(tenant)
    const over = new AbortController()
    const isOver = (): boolean => over.signal.aborted
    const write = async (location_id: string): Promise<number> => {
      let written = 0
      for (; written < 150; written++)
        await tenant.request('POST', '/stock/adjustment', { product_id: product.id, location_id, adjustment_quantity: 2 })
      return written
    }
    const fold = async (): Promise<void> => {
      while (!isOver()) await foldAllCounts(service.db)
    }
    const read = async (): Promise<number> => {
      let reports = 0
      for (; !isOver(); reports++) {
        const query = `product_id=${product.id}&since=${dayIn(-2)}`
        const [of, at] = await Promise.all(
          ['', '&location_id=A'].map((more) => tenant.request('GET', `/reports/stock?${query}${more}`)),
        )
        // What is counted back from the level of one moment and changes of another is not nothing.
        for (const response of [of, at]) expect(response?.body.data.points[0].quantity).toBe(0)
      }
      return reports
    }
    const reading = Promise.all([read(), fold()])
    const written = await Promise.all([write('A'), write('A'), write('B')]).finally(() => over.abort())
    const [reports] = await reading
    expect(written).toEqual([150, 150, 150])
    expect(reports).toBeGreaterThan(3)
    const { body } = await tenant.request('GET', `/reports/stock?product_id=${product.id}&since=${dayIn(-2)}`)
    expect(body.data.points.at(-1).quantity).toBe(900)
    await expectConsistentStock(service.db, tenant)
  })
})
