import { describe, expect } from 'vitest'
import { readConfig } from '@fulfillment/server/config.ts'
import { runDemo } from '@fulfillment/server/demo/run-demo.ts'
import { it } from '../support/it.ts'
import { expectConsistentReservations } from '../support/reservations.ts'
import { send, type ServiceResponse, type TestService, type TestTenant } from '../support/service.ts'
import { expectConsistentStock } from '../support/stock.ts'
import { runCommand } from './run-command.ts'

const FILL = { seed: 7, products: 30, days: 14, orders: 20 }
const ARGUMENTS = ['demo', '--seed', '7', '--products', '30', '--days', '14', '--orders', '20']
const timeout = 300_000

const keyIn = (text: string): string => /service_live_[\w-]+/.exec(text)?.[0] ?? ''

/** The tenant of a demo on the database of a service. */
function demoTenant({ url }: Pick<TestService, 'url'>, id: number, key: string): TestTenant {
  const request: TestTenant['request'] = (method, path, body) => send(`${url}/api/v1${path}`, method, body, { key })
  return { url, id, key, request, createKey: () => Promise.reject(new Error('not needed')) }
}

// The test reads what it expects.
// oxlint-disable-next-line typescript/no-explicit-any
async function allOf(tenant: TestTenant, path: string, field: string): Promise<any[]> {
  const rows = []
  for (let page = 1; ; page++) {
    const { data } = (await tenant.request('GET', `${path}${path.includes('?') ? '&' : '?'}limit=100&page=${page}`)).body
    rows.push(...data[field])
    if (page >= data.pagination.total_pages) return rows
  }
}

async function differencesOf(tenant: TestTenant): Promise<unknown[]> {
  const found = []
  for (let cursor: number | null = 0; cursor !== null;) {
    const { body }: ServiceResponse = await tenant.request('GET', `/stock/reconcile?cursor=${cursor}`)
    found.push(...body.data.differences)
    cursor = body.data.next_cursor
  }
  return found
}

async function expectBalanced(service: TestService, tenant: TestTenant): Promise<void> {
  expect(await differencesOf(tenant)).toEqual([])
  await expectConsistentStock(service.db, tenant)
  await expectConsistentReservations(service.db, tenant)
}

/** Settings of a demo on the database of the test. */
function configOf(databaseUrl: string) {
  const env = { DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'silent', ENCRYPTION_KEY: 'encryption key of the tests' }
  return { ...readConfig(env), webhookAllowPrivateNetwork: true }
}

describe('a demo', () => {
  it('is filled by the rules: what the API says is what was simulated', { timeout }, async ({ service }) => {
    const { filled } = await runDemo(
      configOf(service.databaseUrl),
      { ...FILL, rate: 12, minutes: 1, live: false },
      () => {},
      new AbortController().signal,
    )
    const { world, tenantId, key } = filled
    if (world === undefined) throw new Error('The demo has not filled its tenant')
    const tenant = demoTenant(service, tenantId, key)
    await expectBalanced(service, tenant)
    expect((await tenant.request('GET', '/events?event=*')).body.data.events).toEqual([])
    const { history, products } = world

    const orders = await allOf(tenant, '/orders?include_details=true', 'orders')
    const simulated = history.orders.map((order) => ({
      order_tenant_id: order.name,
      state_id: order.state,
      created_at: new Date(order.createdAt).toISOString(),
      order_detail: order.lines.map(({ product, quantity, picked }) => ({
        barcode: products[product]?.barcode,
        quantity,
        picked_quantity: picked,
      })),
    }))
    expect(orders.toReversed()).toMatchObject(simulated)
    const days = (await tenant.request('GET', `/reports/orders?since=${new Date(world.since).toISOString().slice(0, 10)}`)).body
      .data.days
    const counts = days.flatMap((day: { counts: { state_id: number; count: number }[] }) => day.counts)
    const inState = (state: number) =>
      counts
        .filter((count: { state_id: number }) => count.state_id === state)
        .reduce((sum: number, { count }: { count: number }) => sum + count, 0)
    for (const state of [1, 2, 3, 5, 7])
      expect(inState(state)).toBe(history.orders.filter((order) => order.state === state).length)

    const flows = await allOf(tenant, '/flows', 'flows')
    expect(flows.toReversed()).toMatchObject(
      history.flows.map(({ state, picks, itemsToPick }) => ({
        state,
        items_to_pick: itemsToPick,
        total_quantity_picked: picks.reduce((sum, { quantity }) => sum + quantity, 0),
      })),
    )
    const movements = await allOf(tenant, '/stock/movements', 'movements')
    expect(movements.toReversed()).toMatchObject(
      history.movements.map(({ location, type, quantity, next, reason }) => ({
        location_id: location,
        movement_type: type,
        quantity,
        new_quantity: next,
        reason,
      })),
    )
    const backordered = (await tenant.request('GET', '/orders?reservation_status=backordered')).body.data.pagination.total
    expect(backordered).toBeGreaterThan(0)
    expect(backordered).toBeLessThan(10)
    const { data: flow } = (await tenant.request('GET', `/flows/${flows[0].id}`)).body
    expect(flow).toMatchObject({
      state: 'started',
      operator_email: expect.stringContaining('@demo.example'),
      lines: expect.any(Array),
    })
  })

  it('is played over HTTP, and its books are balanced at the end', { timeout }, async ({ startService }) => {
    const service = await startService()
    const lines: string[] = []
    const options = { ...FILL, rate: 300, minutes: 0.2, live: true }
    const run = await runDemo(configOf(service.databaseUrl), options, (line) => lines.push(line), new AbortController().signal)
    const { journal, filled } = run
    if (journal === undefined) throw new Error('The demo was not played')
    const tenant = demoTenant(service, filled.tenantId, filled.key)
    await expectBalanced(service, tenant)
    expect(journal.sent).toBeGreaterThan(10)
    expect([journal.picks, journal.completed, journal.delivered, journal.refused].every((count) => count > 0)).toBe(true)
    expect(lines.at(-1)).toContain(`${journal.sent} orders sent, ${journal.picks} picks`)

    const orders = await allOf(tenant, '/orders?include_details=true', 'orders')
    const byName = new Map(orders.map((order) => [order.order_tenant_id as string, order]))
    const stateOf = (name: string) => byName.get(name)?.state_id
    expect([...journal.states].filter(([name, state]) => stateOf(name) !== state)).toEqual([])
    expect(orders).toHaveLength((filled.world?.history.orders.length ?? 0) + journal.sent)
    const simulated = new Set(filled.world?.history.orders.map(({ name }) => name))
    for (const [name, quantity] of journal.picked) {
      if (simulated.has(name) || stateOf(name) === 7) continue
      const lines: { picked_quantity: number }[] = byName.get(name).order_detail
      expect([name, lines.reduce((sum, line) => sum + line.picked_quantity, 0)]).toEqual([name, quantity])
    }
  })
})

describe('fulfillment demo', () => {
  it(
    'fills and exits with --no-live; a second run fills nothing and makes another key',
    { timeout },
    async ({ startService }) => {
      const service = await startService()
      const env = { DATABASE_URL: service.databaseUrl, PORT: '0', ENCRYPTION_KEY: 'encryption key of the tests' }
      const first = await runCommand([...ARGUMENTS, '--no-live'], env)
      expect([first.exitCode, first.stderr]).toEqual([0, ''])
      expect(first.stdout).toContain('Tenant "Demo 7" has 30 products')
      const { rows } = await service.db.dedicatedPool.query<{ id: number }>(`select id from tenants where name = 'Demo 7'`)
      const id = rows[0]?.id ?? 0
      const before = (await demoTenant(service, id, keyIn(first.stdout)).request('GET', '/orders')).body.data.pagination.total
      const second = await runCommand([...ARGUMENTS, '--no-live'], env)
      expect([second.exitCode, second.stdout.includes('goes on where it was')]).toEqual([0, true])
      expect(keyIn(second.stdout)).not.toBe(keyIn(first.stdout))
      const { body } = await demoTenant(service, id, keyIn(second.stdout)).request('GET', '/orders')
      expect(body.data.pagination.total).toBe(before)
      expect((await service.db.dedicatedPool.query(`select id from tenants where name = 'Demo 7'`)).rows).toHaveLength(1)
    },
  )

  it(
    'refuses a database of production, or with data that no demo made, and changes nothing there',
    { timeout },
    async ({ service, tenant }) => {
      await tenant.request('POST', '/products', { name: 'Tea', barcode: '1' })
      const env = { DATABASE_URL: service.databaseUrl, PORT: '0', ENCRYPTION_KEY: 'encryption key of the tests' }
      const count = async () => (await service.db.dedicatedPool.query('select count(*) as n from tenants')).rows[0].n
      const before = await count()
      const foreign = await runCommand([...ARGUMENTS, '--no-live'], env)
      expect([foreign.exitCode, foreign.stdout]).toEqual([1, ''])
      expect(foreign.stderr).toMatch(/^DATABASE_URL: tenant \d+ "test tenant" has data that no demo made/)
      const production = await runCommand([...ARGUMENTS, '--no-live'], { ...env, NODE_ENV: 'production' })
      expect([production.exitCode, production.stderr]).toEqual([
        1,
        'NODE_ENV: is production. --force runs the demo all the same\n',
      ])
      expect(await count()).toBe(before)
      const forced = await runCommand(
        ['demo', '--seed', '8', '--products', '3', '--days', '1', '--orders', '2', '--no-live', '--force'],
        env,
      )
      expect([forced.exitCode, await count()]).toEqual([0, before + 1])
    },
  )

  it.for([
    ['--products', '0'],
    ['--days', '366'],
    ['--rate', '61'],
    ['--minutes', '1.5'],
  ])('refuses %s %s', async ([option = '', value = '']) => {
    const { exitCode, stderr } = await runCommand(['demo', option, value], {})
    expect([exitCode, stderr.includes(`option '${option}`)]).toEqual([1, true])
  })
})
