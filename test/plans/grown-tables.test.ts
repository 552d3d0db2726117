import { expect } from 'vitest'
import { it } from '../support/it.ts'

it('every server analyzes tables that have grown', async ({ service, tenant }) => {
  const { dedicatedPool } = service.db
  await dedicatedPool.query('alter table products set (autovacuum_enabled = false)')
  const products = Array.from({ length: 500 }, (_, number) => ({ barcode: `B-${number}`, name: 'Tea' }))
  expect((await tenant.request('POST', '/products/bulk', { products })).status).toBe(200)
  const analyzed = async (): Promise<number> =>
    (await dedicatedPool.query<{ rows: number }>(`select reltuples as rows from pg_class where oid = 'products'::regclass`))
      .rows[0]!.rows
  await expect.poll(analyzed).toBe(500)
})
