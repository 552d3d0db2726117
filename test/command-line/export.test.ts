import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { describe, expect, vi } from 'vitest'
import { it } from '../support/it.ts'
import { newOrder } from '../support/orders.ts'
import type { TestService, TestTenant } from '../support/service.ts'
import { completedOrder, pack, packageOf } from '../support/shipments.ts'
import { newProduct } from '../support/stock.ts'
import { startGateway } from './gateway.ts'
import { runCommand, startCommand } from './run-command.ts'

const envOf = (service: TestService, { key }: { key: string }, url = service.url) => ({
  FULFILLMENT_URL: url,
  FULFILLMENT_API_KEY: key,
})
const linesOf = (text: string): { id: number }[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number })

/** Creates `count` products with numbered names. */
async function manyProducts(tenant: TestTenant, prefix: string, count: number): Promise<void> {
  const products = Array.from({ length: count }, (_, index) => ({ barcode: `${prefix}-${index}`, name: `${prefix} ${index}` }))
  await tenant.request('POST', '/products/bulk', { products })
}

/** Creates `count` products of 4 kB: together they exceed the buffer of a pipe. */
async function largeProducts(service: TestService, tenant: TestTenant, count: number): Promise<void> {
  await sql`
    insert into products (tenant_id, barcode, name, description, created_at)
    select ${tenant.id}, 'old-' || n, 'Product ' || n, repeat('x', 4000), now() - n * interval '1 second' from generate_series(1, ${count}::int) n`.execute(
    service.db.kysely,
  )
}

describe('an export', () => {
  it('of the catalog is CSV that can be imported, without cells that a spreadsheet would execute', async ({ service }) => {
    const [tenant, other] = [await service.newTenant(), await service.newTenant()]
    const names = ['=HYPERLINK("http://x")', "'quoted", '"a", b\nc', '+1', '-1', '@x', "'=x", ' ä ']
    for (const [index, name] of names.entries())
      await newProduct(tenant, { barcode: `b${index}`, sku: `s${index}`, name: `${name}.`, price: 0.1 })
    const columns = 'barcode,external_id,name,price'
    const { exitCode, stdout, stderr } = await runCommand(['export', 'products', '--columns', columns], envOf(service, tenant))
    expect([exitCode, stderr]).toEqual([0, '8 exported\n'])
    expect(stdout).toContain(`'=HYPERLINK`)
    expect(stdout.match(/^[^,]*,[^,]*,"?[=+\-@]/m)).toBeNull()
    const imported = await runCommand(['import', 'products', '-'], envOf(service, other), stdout)
    expect(imported).toMatchObject({ exitCode: 0, stdout: '8 rows: 8 created, 0 updated, 0 failed\n' })
    const [first, second] = await Promise.all(
      [tenant, other].map((one) =>
        runCommand(['export', 'products', '--columns', columns, '--raw', '--quiet'], envOf(service, one)),
      ),
    )
    expect(second?.stdout.split('\n').toSorted()).toEqual(first?.stdout.split('\n').toSorted())
    expect(first?.stdout).toContain('"=HYPERLINK(""http://x"")."')
  })

  it('of orders has one row per order line, or one JSON object per order, with the filters of the list', async ({
    service,
    tenant,
  }) => {
    const products = [await newProduct(tenant, { price: 2 }), await newProduct(tenant)]
    const order_detail = products.map(({ barcode }, index) => ({ barcode, quantity: index + 1 }))
    const order = await newOrder(tenant, { order_detail, customer_name: '=Ada' })
    const cancelled = await newOrder(tenant, { order_detail })
    await tenant.request('POST', `/orders/${cancelled.id}/cancel`)
    const csv = await runCommand(['export', 'orders', '--state-id', '1', '2', '--delimiter', ';'], envOf(service, tenant))
    // Rows of the file, not orders.
    expect(csv.stderr).toContain('2 exported')
    // Columns that were added come last.
    expect(csv.stdout.split('\n', 1)[0]).toMatch(/;price;reservation_status;reserved_quantity;backordered_quantity\r?$/)
    expect(parse(csv.stdout, { columns: true, delimiter: ';' })).toMatchObject([
      {
        id: String(order.id),
        customer_name: "'=Ada",
        state_name: 'Pending',
        barcode: products[0]?.barcode,
        quantity: '1',
        price: '2',
      },
      { id: String(order.id), customer_name: "'=Ada", items_count: '2', barcode: products[1]?.barcode, quantity: '2', price: '' },
    ])
    const json = await runCommand(['export', 'orders', '--format', 'jsonl'], envOf(service, tenant))
    const { body } = await tenant.request('GET', '/orders?include_details=true')
    expect(linesOf(json.stdout)).toEqual(body.data.orders)
    const refused = await runCommand(['export', 'orders', '--start-date', 'yesterday'], envOf(service, tenant))
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--start-date: must be a calendar date') })
  })

  it('of stock has the level of every product at every location, and every movement', async ({ service, tenant }) => {
    const product = await newProduct(tenant)
    const updates = Array.from({ length: 150 }, (_, index) => ({
      product_id: product.id,
      location_id: `L${index}`,
      quantity: index,
    }))
    await tenant.request('POST', '/stock/bulk', { updates })
    await tenant.request('POST', '/stock/adjustment', {
      product_id: product.id,
      location_id: 'L9',
      adjustment_quantity: -2.5,
      reason: 'broken',
    })
    const stock = await runCommand(['export', 'stock'], envOf(service, tenant))
    const levels: { location_id: string; quantity: string }[] = parse(stock.stdout, { columns: true })
    expect(levels).toHaveLength(150)
    expect(levels.find(({ location_id }) => location_id === 'L9')).toMatchObject({
      product_id: String(product.id),
      quantity: '6.5',
    })
    const movements = await runCommand(
      ['export', 'movements', '--movement-type', 'OUT', '--columns', 'quantity,new_quantity,reason'],
      envOf(service, tenant),
    )
    expect(movements.stdout).toBe('quantity,new_quantity,reason\n2.5,6.5,broken\n')
  })

  it('of deliveries, returns and counts has their lines', async ({ service, tenant }) => {
    const [tea, mate] = [await newProduct(tenant), await newProduct(tenant)]
    const lines = [tea, mate].map(({ id }, index) => ({ product_id: id, quantity: index + 1 }))
    const post = async (path: string, body: object) => (await tenant.request('POST', path, body)).body.data
    const delivery = await post('/inbound', { lines, supplier: '=Tea' })
    await post(`/inbound/${delivery.id}/receipts`, { product_id: mate.id, quantity: 2, location_id: 'A' })
    await post('/inbound', { lines })
    const back = await post('/returns', { reason: 'late', lines: [{ ...lines[0], reason: 'wet' }] })
    const count = await post('/counts', { location_ids: ['A'] })
    const rows = async (...args: string[]) =>
      parse<Record<string, string>>((await runCommand(['export', ...args], envOf(service, tenant))).stdout, { columns: true })
    const ofDelivery = { id: String(delivery.id), state: 'receiving', supplier: "'=Tea" }
    expect(await rows('inbound', '--state', 'receiving')).toMatchObject([
      { ...ofDelivery, line_id: String(delivery.lines[0].id), product_id: String(tea.id), quantity: '1', received_quantity: '0' },
      {
        ...ofDelivery,
        line_id: String(delivery.lines[1].id),
        product_id: String(mate.id),
        quantity: '2',
        received_quantity: '2',
      },
    ])
    expect(await rows('returns')).toMatchObject([{ id: String(back.id), reason: 'late', line_reason: 'wet', quantity: '1' }])
    expect(await rows('counts')).toMatchObject([{ id: String(count.id), location_id: 'A', expected_quantity: '2' }])
    const json = await runCommand(['export', 'inbound', '--format', 'jsonl'], envOf(service, tenant))
    const { inbound } = (await tenant.request('GET', '/inbound')).body.data
    const whole = inbound.map(async ({ id }: { id: number }) => (await tenant.request('GET', `/inbound/${id}`)).body.data)
    expect(linesOf(json.stdout)).toEqual(await Promise.all(whole))
  })

  it('of shipments has a row for each line of a package, and one for a shipment without packages', async ({
    service,
    tenant,
  }) => {
    const tea = await newProduct(tenant)
    const order = await completedOrder(tenant, [[tea, 5]])
    const inPackage = (quantity: number, tracking_number: string) =>
      packageOf({ product_id: tea.id }, quantity, { tracking_number })
    const shipment = await pack(tenant, order, [inPackage(1, 'T1'), inPackage(2, '=T2')])
    const empty = await pack(tenant, order)
    const rows = async (...args: string[]) =>
      parse<Record<string, string>>((await runCommand(['export', 'shipments', ...args], envOf(service, tenant))).stdout, {
        columns: true,
      })
    const own = { id: String(shipment.id), state: 'open', order_id: String(order.id), product_id: String(tea.id) }
    expect(await rows()).toMatchObject([
      { id: String(empty.id), number: '', quantity: '' },
      { ...own, number: '1', tracking_number: 'T1', quantity: '1', order_detail_id: String(order.lines[0]) },
      { ...own, number: '2', tracking_number: "'=T2", quantity: '2' },
    ])
    expect(await rows('--tracking-number', 'T1')).toHaveLength(2)
    const json = await runCommand(['export', 'shipments', '--format', 'jsonl'], envOf(service, tenant))
    expect(linesOf(json.stdout)).toEqual([empty, shipment])
  })
})

describe('a long export', () => {
  it('returns each record once, even if other records are added and removed meanwhile', async ({ service, tenant }) => {
    await manyProducts(tenant, 'old', 900)
    const { body } = await tenant.request('GET', '/products?limit=100')
    const newest: number[] = body.data.products.map(({ id }: { id: number }) => id)
    let requests = 0
    const gateway = await startGateway(service, async () => {
      requests++
      if (requests === 3) for (const id of newest.slice(0, 70)) await tenant.request('DELETE', `/products/${id}`)
      if (requests === 6) await manyProducts(tenant, 'new', 20)
      return false
    })
    const { ended } = startCommand(['export', 'products', '--format', 'jsonl', '--quiet'], envOf(service, tenant, gateway.url))
    const { exitCode, stdout } = await ended
    gateway.server.close()
    const ids = linesOf(stdout).map(({ id }) => id)
    expect([exitCode, new Set(ids).size]).toEqual([0, ids.length])
    const kept = await runCommand(['export', 'products', '--format', 'jsonl', '--search', 'old-'], envOf(service, tenant))
    const missing = linesOf(kept.stdout).filter(({ id }) => !ids.includes(id))
    expect([linesOf(kept.stdout).length, missing]).toEqual([830, []])
  })

  it('ends without an error when the reader closes the pipe', async ({ service, tenant }) => {
    await manyProducts(tenant, 'old', 900)
    const { child, ended } = startCommand(['export', 'products', '--format', 'jsonl'], envOf(service, tenant))
    await once(child.stdout!, 'readable')
    child.stdout?.destroy()
    expect(await ended.catch(() => once(child, 'close'))).toBeDefined()
    expect([child.exitCode, child.signalCode]).toEqual([0, null])
  })

  it('waits for the rate limit, and needs memory for one page only', async ({ service, tenant }) => {
    await largeProducts(service, tenant, 8_000)
    let refusals = 0
    const gateway = await startGateway(service, (_request, response) => {
      // More than the SDK repeats by itself.
      if (refusals === 9) return false
      refusals++
      response.writeHead(429, { 'retry-after': '1', 'content-type': 'application/json' })
      response.end(JSON.stringify({ success: false, error: { code: 'rate_limit_exceeded', message: 'Later' } }))
      return true
    })
    const { ended } = startCommand(['export', 'products', '--format', 'jsonl', '--quiet'], envOf(service, tenant, gateway.url), [
      '--max-old-space-size=36',
    ])
    const { exitCode, stdout, stderr } = await ended
    gateway.server.close()
    expect([exitCode, stderr, new Set(linesOf(stdout).map(({ id }) => id)).size]).toEqual([0, '', 8_000])
  })
})

describe('a failed export', () => {
  it.for([
    [1, '', ''],
    [2, 'barcode\n', 'The output is incomplete\n'],
  ] as const)('at page %i writes %j first, and says what the output lacks', async ([at, written, said], { service, tenant }) => {
    await manyProducts(tenant, 'old', 300)
    let requests = 0
    const gateway = await startGateway(service, (request, response) => {
      if (request.url === '/healthz' || ++requests < at) return false
      response
        .writeHead(403, { 'content-type': 'application/json' })
        .end('{"success":false,"error":{"code":"insufficient_scope","message":"gone"}}')
      return true
    })
    const { ended } = startCommand(['export', 'products', '--columns', 'barcode'], envOf(service, tenant, gateway.url))
    const { exitCode, stdout, stderr } = await ended
    gateway.server.close()
    expect([exitCode, stdout.slice(0, 8), stderr]).toEqual([1, written, `${said}FULFILLMENT_API_KEY: gone\n`])
  })

  it.for([
    [['movements', '--start-date', 'May', '--product-id', 'x'], /^--product-id: .+\n--start-date: must be .+\n$/],
    [['orders', '--state-id', '1', 'open'], /^--state-id: must be .+\n$/],
  ] as const)('names the options that are wrong: %s', async ([args, message], { service, tenant }) => {
    const { exitCode, stdout, stderr } = await runCommand(['export', ...args], envOf(service, tenant))
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)])
  })

  it.for(['--columns=id', '--delimiter=;', '--bom'])('is one of JSON lines with %s, which is for CSV', async (option) => {
    const env = { FULFILLMENT_API_KEY: 'key' }
    const message = `${option.split('=')[0]}: is for CSV, and the format is JSON lines\n`
    for (const format of ['--format=jsonl', '--output=x.jsonl'])
      expect(await runCommand(['export', 'stock', format, option], env)).toEqual({ exitCode: 1, stdout: '', stderr: message })
  })
})

describe('an export to a file', () => {
  it('gets its final name when it is complete, and reports that', async ({ service, tenant, folder }) => {
    await manyProducts(tenant, 'old', 3)
    const output = path.join(folder, 'products.jsonl')
    const { exitCode, stdout } = await runCommand(['export', 'products', '--output', output, '--json'], envOf(service, tenant))
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, { rows: 3, output }])
    expect(linesOf(await readFile(output, 'utf8'))).toHaveLength(3)
  })

  it.for(['SIGINT', 'SIGTERM', 'an error'] as const)('leaves nothing after %s', async (how, { service, tenant, folder }) => {
    await manyProducts(tenant, 'old', 300)
    let requests = 0
    const gateway = await startGateway(service, (request, response) => {
      if (request.url === '/healthz' || requests++ === 0) return false
      if (how === 'an error')
        response
          .writeHead(403, { 'content-type': 'application/json' })
          .end('{"success":false,"error":{"code":"insufficient_scope","message":"gone"}}')
      return true
    })
    const folderBefore = await readdir(folder)
    const { child, ended } = startCommand(
      ['export', 'products', '--output', path.join(folder, 'broken.csv')],
      envOf(service, tenant, gateway.url),
    )
    await vi.waitFor(() => expect(requests).toBeGreaterThan(1), { timeout: 60_000 })
    if (how !== 'an error') child.kill(how)
    const { exitCode, stdout } = await ended
    gateway.server.closeAllConnections()
    gateway.server.close()
    expect([exitCode, stdout, await readdir(folder)]).toEqual([how === 'an error' ? 1 : 130, '', folderBefore])
  })

  it('never replaces a device', async ({ folder }) => {
    const { exitCode, stderr } = await runCommand(['export', 'products', '--output', folder], { FULFILLMENT_API_KEY: 'key' })
    expect([exitCode, stderr]).toEqual([1, `--output: ${folder} is not a file\n`])
    const unnamed = await runCommand(['export', 'products', '--output', ''], { FULFILLMENT_API_KEY: 'key' })
    expect([unnamed.exitCode, unnamed.stderr]).toEqual([1, '--output: names no file\n'])
  })
})
