import path from 'node:path'
import pg from 'pg'
import { describe, expect, inject } from 'vitest'
import { caseBarcode } from '@fulfillment/server/demo/catalog.ts'
import { readConfig } from '@fulfillment/server/config.ts'
import type { DemoWorld } from '@fulfillment/server/demo/insert-history.ts'
import { OPERATORS } from '@fulfillment/server/demo/people.ts'
import { runDemo } from '@fulfillment/server/demo/run-demo.ts'
import { it } from '../support/it.ts'
import { expectConsistentReservations } from '../support/reservations.ts'
import { expectConsistentShipments } from '../support/shipments.ts'
import { send, type ServiceResponse, type TestService, type TestTenant } from '../support/service.ts'
import { expectConsistentStock } from '../support/stock.ts'
import { startServerProcess } from '../support/server-process.ts'
import { cloneDatabase } from '../support/test-database.ts'
import { runCommand, startCommand } from './run-command.ts'

const FILL = { seed: 7, products: 30, days: 14, orders: 20 }
const ARGUMENTS = ['demo', '--seed', '7', '--products', '30', '--days', '14', '--orders', '20']
const timeout = 300_000

/** What a demo tells of each kind of happening. */
const HAPPENINGS = [
  / takes .+ from /,
  / completes /,
  / in one walk$/,
  / receives /,
  / takes back /,
  / comes back: /,
  / packs /,
  /The carrier takes /,
  /The carrier delivers /,
  /The receiver refuses /,
]
/** Besides these lines, the first one names orders, those of the time before. */
const sentIn = (lines: readonly string[]): number => lines.filter((line) => /^\S+ {2}.* orders /.test(line)).length

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
  await expectConsistentShipments(service.db, tenant)
}

/** Counts what is left of a count, and posts it: nobody has changed its levels. */
async function finishCount(tenant: TestTenant, id: number): Promise<void> {
  const { lines } = (await tenant.request('GET', `/counts/${id}`)).body.data
  for (const { product_id, location_id, counted_quantity, expected_quantity } of lines)
    if (counted_quantity === null)
      await tenant.request('POST', `/counts/${id}/entries`, { product_id, location_id, quantity: expected_quantity })
  await tenant.request('POST', `/counts/${id}/submit`)
  const { body } = await tenant.request('POST', `/counts/${id}/approve`, {})
  expect(body.data).toMatchObject({ state: 'approved', lines_different: 0, lines_counted: lines.length })
}

/** Compares batches, shipments and returns with what was simulated. `orders` are as the API lists them. */
async function expectSentAndReturned(
  tenant: TestTenant,
  { history, products }: DemoWorld,
  // oxlint-disable-next-line typescript/no-explicit-any
  orders: any[],
): Promise<void> {
  const batches = await allOf(tenant, '/flow-batches', 'flow_batches')
  const { batches: simulated, flows } = history
  expect(batches.toReversed()).toMatchObject(
    simulated.map(({ name, createdAt, operator }, index) => {
      const walked = flows.filter(({ batch }) => batch === index)
      return {
        reference: name,
        state: walked.some(({ state }) => state === 'started') ? 'started' : 'completed',
        operator_email: OPERATORS[operator]?.email,
        created_at: new Date(createdAt).toISOString(),
        slots: walked.map(({ order, slot }) => ({ slot, order_tenant_id: history.orders[order]?.name })),
      }
    }),
  )
  const { stops, missing } = (await tenant.request('GET', `/flow-batches/${batches[0].id}`)).body.data
  expect(stops.length + missing.length).toBeGreaterThan(0)

  const stateOf = ({ shippedAt, deliveredAt }: { shippedAt?: number; deliveredAt?: number }) =>
    deliveredAt === undefined ? (shippedAt === undefined ? 'open' : 'shipped') : 'delivered'
  const shipments = await allOf(tenant, '/shipments', 'shipments')
  expect(shipments.toReversed()).toMatchObject(
    history.shipments.map((shipment) => ({
      reference: shipment.name,
      order_tenant_id: history.orders[shipment.order]?.name,
      state: stateOf(shipment),
      total_quantity: shipment.packages.flatMap(({ lines }) => lines).reduce((sum, { quantity }) => sum + quantity, 0),
    })),
  )
  const last = history.shipments.at(-1)
  expect((await tenant.request('GET', `/shipments/${shipments[0].id}`)).body.data.packages).toMatchObject(
    last?.packages.map(({ trackingNumber, lines }, index) => ({
      number: index + 1,
      tracking_number: trackingNumber,
      lines: lines.map(({ quantity }) => ({ quantity })),
    })) ?? [],
  )
  // A completed order is sent as far as its shipments are.
  for (const [index, { state, name }] of history.orders.entries()) {
    const states = history.shipments.filter(({ order }) => order === index).map(stateOf)
    if (state !== 5 || new Set(states).size !== 1) continue
    const status = states[0] === 'open' ? 'packing' : states[0]
    expect([name, orders.find((order) => order.order_tenant_id === name)?.shipment_status]).toEqual([name, status])
  }

  const returns = await allOf(tenant, '/returns', 'returns')
  expect(returns.toReversed()).toMatchObject(
    history.returns.map(({ name, order, closedAt, lines }) => ({
      reference: name,
      order_tenant_id: history.orders[order]?.name,
      state: closedAt === undefined ? (lines[0]?.received === undefined ? 'expected' : 'receiving') : 'closed',
    })),
  )
  for (const [index, { lines }] of history.returns.entries()) {
    const id = returns.toReversed()[index].id
    const receipts = (await tenant.request('GET', `/returns/${id}/receipts`)).body.data.receipts
    expect(receipts.toReversed()).toMatchObject(
      lines.flatMap(({ received, quantity }) =>
        received === undefined ? [] : [{ quantity, disposition: received.disposition, location_id: received.location }],
      ),
    )
    const record = (await tenant.request('GET', `/returns/${id}`)).body.data
    expect(record.lines).toMatchObject(
      lines.map(({ product, quantity, received }) => ({
        barcode: products[product]?.barcode,
        quantity,
        received_quantity: received === undefined ? 0 : quantity,
      })),
    )
  }
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

    const cased = products.find((product, index) => index % 5 === 0 && !product.weighable)
    expect((await tenant.request('GET', `/scan?code=${caseBarcode(cased!)}`)).body.data).toMatchObject({
      product: { barcode: cased?.barcode },
      quantity: 12,
    })

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
    const stockCounts = await allOf(tenant, '/counts', 'counts')
    expect(stockCounts.toReversed()).toMatchObject(
      history.counts.map(({ name, approvedAt, lines }) => ({
        reference: name,
        state: approvedAt === undefined ? 'counting' : 'approved',
        lines_total: lines.length,
        lines_counted: lines.filter(({ counted }) => counted !== undefined).length,
      })),
    )
    const [delivery] = await allOf(tenant, '/inbound', 'inbound')
    expect(delivery).toMatchObject({ state: 'expected', reference: history.deliveries[0]?.name, total_received: 0 })
    const incoming = (await allOf(tenant, '/stock/availability', 'availability')).filter((row) => row.incoming > 0)
    expect(incoming.reduce((sum, row) => sum + row.incoming, 0)).toBe(delivery.total_quantity)
    await finishCount(tenant, stockCounts[0].id)
    await expectBalanced(service, tenant)
    for (const { id, state_id } of orders.slice(0, 40)) {
      const { entries } = (await tenant.request('GET', `/orders/${id}/timeline?kind=state&kind=movement`)).body.data
      const changes = entries.filter(({ kind }: { kind: string }) => kind === 'state').map(({ data }: { data: object }) => data)
      const states = [1, ...changes.map((change: { state_id: number }) => change.state_id)]
      expect(changes.map((change: { previous_state_id: number }) => change.previous_state_id)).toEqual(states.slice(0, -1))
      expect(states.at(-1)).toBe(state_id)
    }
    await expectSentAndReturned(tenant, world, orders)
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
    const everythingHappened = new AbortController()
    const print = (line: string): void => {
      lines.push(line)
      if (HAPPENINGS.every((pattern) => lines.some((told) => pattern.test(told))) && sentIn(lines) > 10)
        everythingHappened.abort()
    }
    const options = { ...FILL, rate: 300, minutes: 3, live: true }
    const run = await runDemo(configOf(service.databaseUrl), options, print, everythingHappened.signal)
    const { journal, filled } = run
    if (journal === undefined) throw new Error('The demo was not played')
    const tenant = demoTenant(service, filled.tenantId, filled.key)
    await expectBalanced(service, tenant)
    expect(journal.sent).toBeGreaterThan(10)
    const { picks, completed, walks, receipts, returned, announced, packed, shipped, arrived, delivered, refused } = journal
    const counts = { picks, completed, walks, receipts, returned, announced, packed, shipped, arrived, delivered, refused }
    for (const [name, count] of Object.entries(counts)) expect([name, count > 0]).toEqual([name, true])
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
      expect([name, Number(lines.reduce((sum, line) => sum + line.picked_quantity, 0).toFixed(3))]).toEqual([name, quantity])
    }
    // What is completed is packed, also when the demo is over.
    for (const [name, state] of journal.states)
      if (state === 5) expect([name, byName.get(name)?.shipment_status]).toEqual([name, expect.any(String)])
    const { history } = filled.world as DemoWorld
    expect(await allOf(tenant, '/shipments', 'shipments')).toHaveLength(history.shipments.length + packed)
    expect(await allOf(tenant, '/returns', 'returns')).toHaveLength(history.returns.length + announced)
    expect(await allOf(tenant, '/flow-batches', 'flow_batches')).toHaveLength(history.batches.length + walks)
    // What was received has left the dock, and nothing else is there.
    const levels = (await allOf(tenant, '/stock', 'products')).flatMap((product) => product.levels)
    expect(levels.filter(({ location_id: location, quantity }) => location === 'DOCK' && quantity > 0)).toEqual([])
    const [delivery] = (await allOf(tenant, '/inbound', 'inbound')).toReversed()
    expect(delivery.total_received).toBeGreaterThan(0)
  })

  it(
    'goes on when the user deletes its products, and prints the summary when the user revokes its key',
    { timeout },
    async ({ startService }) => {
      const service = await startService()
      const lines: string[] = []
      const [begun, refused] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const print = (line: string): void => {
        lines.push(line)
        if (sentIn(lines) > 1) begun.resolve()
        if (lines.filter((told) => /^\S+ {2}D7-\d+ of .+ is refused: /.test(told)).length > 2) refused.resolve()
      }
      const options = { ...FILL, products: 3, days: 2, orders: 2, rate: 300, minutes: 3, live: true }
      const run = runDemo(configOf(service.databaseUrl), options, print, new AbortController().signal)
      const failure = run.then(
        () => undefined,
        (error: unknown) => error,
      )
      await Promise.race([begun.promise, failure])
      const tenant = demoTenant(service, 0, keyIn(lines.join('\n')))
      for (const { id } of await allOf(tenant, '/products', 'products')) await tenant.request('DELETE', `/products/${id}`)
      await Promise.race([refused.promise, failure])
      for (const { id } of await allOf(tenant, '/api-keys', 'api_keys')) await tenant.request('DELETE', `/api-keys/${id}`)
      expect(await failure).toMatchObject({ code: 'invalid_api_key' })
      expect(lines.at(-1)).toMatch(/^\n\d+ orders sent, \d+ picks/)
    },
  )
})

describe('fulfillment demo', () => {
  it(
    'fills and exits with --no-live; a second run fills nothing and makes another key; a live one ends when its output is closed',
    { timeout },
    async ({ startService }) => {
      const service = await startService()
      const env = { DATABASE_URL: service.databaseUrl, PORT: '0', ENCRYPTION_KEY: 'encryption key of the tests' }
      const first = await runCommand([...ARGUMENTS, '--no-live'], env)
      expect([first.exitCode, first.stderr]).toEqual([0, ''])
      expect(first.stdout).toContain('Tenant "Demo 7" has 30 products')
      // No server of the demo is left.
      expect(first.stdout).not.toContain('http://')
      expect(first.stdout).toContain('same command without --no-live')
      const { rows } = await service.db.dedicatedPool.query<{ id: number }>(`select id from tenants where name = 'Demo 7'`)
      const id = rows[0]?.id ?? 0
      const before = (await demoTenant(service, id, keyIn(first.stdout)).request('GET', '/orders')).body.data.pagination.total
      const second = await runCommand([...ARGUMENTS, '--no-live'], env)
      expect([second.exitCode, second.stdout.includes('goes on where it was')]).toEqual([0, true])
      expect(keyIn(second.stdout)).not.toBe(keyIn(first.stdout))
      const { body } = await demoTenant(service, id, keyIn(second.stdout)).request('GET', '/orders')
      expect(body.data.pagination.total).toBe(before)
      expect((await service.db.dedicatedPool.query(`select id from tenants where name = 'Demo 7'`)).rows).toHaveLength(1)

      const { child, ended } = startCommand([...ARGUMENTS, '--rate', '60'], env)
      child.stdout?.on('data', (text) => String(text).includes('Ctrl-C ends the demo') && child.stdout?.destroy())
      await expect(ended).rejects.toThrow('Premature close')
      await expect.poll(() => child.exitCode).toBe(0)
    },
  )

  it(
    'refuses a database of production, or with data that no demo made, and changes nothing there',
    { timeout },
    async ({ service, tenant }) => {
      await tenant.request('POST', '/products', { name: 'Tea', barcode: '1' })
      // Not its name tells who made it.
      await service.db.dedicatedPool.query(`update tenants set name = 'Demo 8' where id = $1`, [tenant.id])
      const env = { DATABASE_URL: service.databaseUrl, PORT: '0', ENCRYPTION_KEY: 'encryption key of the tests' }
      const count = async () => (await service.db.dedicatedPool.query('select count(*) as n from tenants')).rows[0].n
      const before = await count()
      const foreign = await runCommand([...ARGUMENTS, '--no-live'], env)
      expect([foreign.exitCode, foreign.stdout]).toEqual([1, ''])
      expect(foreign.stderr).toMatch(/^DATABASE_URL: tenant \d+ "Demo 8" has data that no demo made/)
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

  it('refuses the directory of further shards, whose webhooks it would deliver', { timeout }, async ({ onTestFinished }) => {
    const { url, drop } = await cloneDatabase(inject('postgresUrl'))
    onTestFinished(drop)
    const client = new pg.Client(url)
    await client.connect()
    await client.query(`insert into shards (url_ciphertext, first_tenant_id) values ('sealed', 1000000)`)
    const refused = await runCommand([...ARGUMENTS, '--no-live'], {
      DATABASE_URL: url,
      PORT: '0',
      ENCRYPTION_KEY: 'a key of the tests',
    })
    const { rows } = await client.query('select id from tenants')
    await client.end()
    expect([refused.exitCode, refused.stdout, refused.stderr, rows]).toEqual([
      1,
      '',
      'DATABASE_URL: the service has further shards, whose tenants are not looked at. --force runs the demo all the same\n',
      [],
    ])
  })

  it(
    'refuses the data folder of a server, whose webhooks it would deliver, and changes nothing there',
    { timeout },
    async ({ folder }) => {
      const dataDir = path.join(folder, 'data')
      const server = await startServerProcess({ DATA_DIR: dataDir, ENCRYPTION_KEY: '' })
      const [key = ''] = await server.printed(/service_live_\S+/)
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      const body = JSON.stringify({ name: 'Tea', barcode: '1' })
      expect((await fetch(`${server.url}/api/v1/products`, { method: 'POST', headers, body })).status).toBe(200)
      const demo = [...ARGUMENTS, '--no-live', '--data-dir', dataDir]
      const whileItRuns = await runCommand(demo, { PORT: '0' })
      await server.end('SIGTERM')
      for (const { exitCode, stdout, stderr } of [whileItRuns, await runCommand(demo, { PORT: '0' })])
        expect([exitCode, stdout, stderr]).toEqual([
          1,
          '',
          '--data-dir: tenant 1 "default" has data that no demo made. --force runs the demo all the same\n',
        ])
      const { stdout } = await runCommand(['tenants', 'list', '--json'], { DATA_DIR: dataDir })
      expect(JSON.parse(stdout).tenants).toHaveLength(1)
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
