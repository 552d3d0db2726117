import { sql } from 'kysely'
import { expect, onTestFinished } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import { begin, enter, expectConsistentCounting, transition, levelAt, readCount } from '../support/counts.ts'
import { pick, startedFlow, stockedProduct } from '../support/picking.ts'
import { announce, INBOUND, receive } from '../support/receiving.ts'
import type { TestTenant } from '../support/service.ts'
import { expectConsistentStock } from '../support/stock.ts'
import { it } from './support/it.ts'

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))

it.afterEach(async ({ service, tenant }) => {
  await expectConsistentStock(service.db, tenant)
  await expectConsistentCounting(service.db, tenant)
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(service.db.kysely)
  expect(rows).toEqual([{ deadlocks: 0 }])
})

type Movement = { movement_type: string; location_id: string; quantity: number; previous_quantity: number; new_quantity: number }

/** What the ledger says about a location, and what the movements of type ADJUSTMENT did there. */
async function ledgerOf(tenant: TestTenant, productId: number): Promise<Movement[]> {
  const { body } = await tenant.request('GET', `/stock/movements?product_id=${productId}&limit=100`)
  const all = [...body.data.movements]
  for (let page = 2; page <= body.data.pagination.total_pages; page++)
    all.push(
      ...(await tenant.request('GET', `/stock/movements?product_id=${productId}&limit=100&page=${page}`)).body.data.movements,
    )
  return all
}

it('a count posts differences while goods are picked, received and moved', async ({ tenant }) => {
  const locations = times(6, (index) => `L${index}`)
  const tea = await stockedProduct(tenant, Object.fromEntries(locations.map((location) => [location, 1_000])))
  const { flow } = await startedFlow(tenant, [[tea, 500]])
  const delivery = await announce(INBOUND, tenant, [{ product_id: tea.id, quantity: 500 }])
  const count = await begin(tenant, { product_ids: [tea.id] })
  // Nothing is ever where the books have it: 5 more or fewer, by location.
  const error = (index: number): number => (index % 2 === 0 ? 5 : -5)
  const day = { isOver: false }
  const outcomes: number[] = []
  const trouble = async (call: (turn: number) => Promise<{ status: number }>): Promise<void> => {
    for (let turn = 0; turn < (day.isOver ? 8 : 60); turn++) outcomes.push((await call(turn)).status)
  }
  const troubles = [
    trouble((turn) => pick(tenant, flow, { product_id: tea.id, location_id: `L${turn % 6}`, quantity: 1 })),
    trouble((turn) => receive(INBOUND, tenant, delivery, { product_id: tea.id, quantity: 2, location_id: `L${(turn + 3) % 6}` })),
    trouble((turn) =>
      tenant.request('POST', '/stock/transfer', {
        product_id: tea.id,
        from_location_id: `L${turn % 6}`,
        to_location_id: `L${(turn + 1) % 6}`,
        quantity: 3,
      }),
    ),
  ]
  for (let turn = 0; turn < 3; turn++)
    await Promise.all(
      locations.map(async (location_id, index) => {
        // One who counts sees what the level is, more or less the error, and says so: the level may change before.
        const seen = (await levelAt(tenant, tea.sku, location_id)) as number
        const { status, body } = await enter(tenant, count, { product_id: tea.id, location_id, quantity: seen + error(index) })
        expect([status, body.data?.line.counted_quantity]).toEqual([200, seen + error(index)])
      }),
    )
  await transition(tenant, count, 'submit')
  const { lines } = await readCount(tenant, count)
  const approved = await transition(tenant, count, 'approve')
  day.isOver = true
  await Promise.all(troubles)
  expect([approved.status, approved.body.error]).toEqual([200, undefined])
  expect(new Set(outcomes)).toEqual(new Set([200]))
  expect(outcomes.length).toBeGreaterThan(20)
  const ledger = await ledgerOf(tenant, tea.id)
  for (const location of locations) {
    const line = lines.find(({ location_id }: { location_id: string }) => location_id === location)
    const own = ledger.filter(({ location_id }) => location_id === location)
    const posted = own.filter(({ movement_type }) => movement_type === 'ADJUSTMENT')
    // The first one stocked the location.
    expect(
      posted.slice(0, -1).map(({ quantity }) => quantity),
      location,
    ).toEqual([line.variance])
    const others = own.filter(({ movement_type }) => movement_type !== 'ADJUSTMENT')
    const moved = others.reduce((sum, movement) => sum + movement.new_quantity - movement.previous_quantity, 0)
    expect(await levelAt(tenant, tea.sku, location), location).toBe(1_000 + moved + line.variance)
  }
})

it('entries of many callers about one level each keep the level of their moment', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, { A: 100 })
  const count = await begin(tenant, { location_ids: ['A'] })
  const entries = times(20, (index) =>
    enter(tenant, count, { product_id: tea.id, location_id: 'A', quantity: 50 + index, entry_id: `e${index % 10}` }),
  )
  const adjustments = times(20, () =>
    tenant.request('POST', '/stock/adjustment', { product_id: tea.id, location_id: 'A', adjustment_quantity: -1 }),
  )
  const responses = await Promise.all(entries)
  await Promise.all(adjustments)
  // Of two entries with one id and other content, one is refused.
  expect(responses.map(({ status }) => status).toSorted()).toEqual([...times(10, () => 200), ...times(10, () => 409)])
  await transition(tenant, count, 'submit')
  const { line } = { line: (await readCount(tenant, count)).lines[0] }
  expect((await transition(tenant, count, 'approve')).status).toBe(200)
  expect(await levelAt(tenant, tea.sku, 'A')).toBe(80 + line.variance)
})

it('of parallel approvals of counts with the same levels, each level is posted once', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, { A: 10, B: 10, C: 10 })
  const counts = await Promise.all(times(4, () => begin(tenant, { product_ids: [tea.id] })))
  for (const count of counts) {
    for (const location_id of ['C', 'A', 'B']) await enter(tenant, count, { product_id: tea.id, location_id, quantity: 9 })
    await transition(tenant, count, 'submit')
  }
  const responses = await Promise.all(counts.map((count) => transition(tenant, count, 'approve')))
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400])
  expect(await Promise.all(['A', 'B', 'C'].map((location) => levelAt(tenant, tea.sku, location)))).toEqual([9, 9, 9])
})

it('an adjustment of a level during approval is either before it, or after', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, { A: 10 })
  const count = await begin(tenant, { location_ids: ['A'] })
  await enter(tenant, count, { product_id: tea.id, location_id: 'A', quantity: 8 })
  await transition(tenant, count, 'submit')
  const [approved, set] = await Promise.all([
    transition(tenant, count, 'approve'),
    tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A', quantity: 20 }),
  ])
  expect(set.status).toBe(200)
  // Set before: refused. Set after: what was posted is overwritten.
  expect([approved.status, await levelAt(tenant, tea.sku, 'A')]).toEqual([approved.status, 20])
  expect([200, 400]).toContain(approved.status)
})

/** A transaction on a connection of its own, and a wait until a statement with this text waits for a lock. */
async function blocking({ dedicatedPool }: Database) {
  const blocker = await dedicatedPool.connect()
  onTestFinished(() => blocker.release(true))
  await blocker.query('begin')
  const waiting = async (text: string): Promise<number | null> =>
    (
      await dedicatedPool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and strpos(query, $1) > 0`,
        [text],
      )
    ).rowCount
  return { blocker, untilWaiting: (text = '') => expect.poll(() => waiting(text)).toBeGreaterThan(0) }
}

it('an approval locks no level while it reads the movements since the counting', async ({ tenant, service }) => {
  const tea = await stockedProduct(tenant, { A: 10 })
  const count = await begin(tenant, { location_ids: ['A'] })
  await enter(tenant, count, { product_id: tea.id, location_id: 'A', quantity: 8 })
  await transition(tenant, count, 'submit')
  const { blocker, untilWaiting } = await blocking(service.db)
  await blocker.query('lock table stock_movements in access exclusive mode')
  const approved = transition(tenant, count, 'approve')
  await untilWaiting('from stock_count_lines')
  await blocker.query('select from stock_levels where tenant_id = $1 for update nowait', [tenant.id])
  await blocker.query('commit')
  expect((await approved).status).toBe(200)
  expect(await levelAt(tenant, tea.sku, 'A')).toBe(8)
})

it('an approval finds an adjustment that was made after it had read the movements', async ({ tenant, service }) => {
  const tea = await stockedProduct(tenant, { A: 10, B: 10 })
  const count = await begin(tenant, { product_ids: [tea.id] })
  for (const location_id of ['A', 'B']) await enter(tenant, count, { product_id: tea.id, location_id, quantity: 8 })
  await transition(tenant, count, 'submit')
  const { blocker, untilWaiting } = await blocking(service.db)
  await blocker.query(`select from stock_levels where tenant_id = $1 and location_id = 'B' for update`, [tenant.id])
  const set = tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'B', quantity: 10 })
  await untilWaiting()
  const approved = transition(tenant, count, 'approve')
  await untilWaiting('from stock_count_lines')
  await blocker.query('commit')
  expect((await set).status).toBe(200)
  const { lines } = await readCount(tenant, count)
  const line = lines.find(({ location_id }: { location_id: string }) => location_id === 'B')
  expect((await approved).body.error).toMatchObject({
    code: 'count_error',
    details: [{ path: `lines[${line.id}]`, error: expect.stringContaining('since it was counted') }],
  })
})
