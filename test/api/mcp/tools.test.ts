import { describe, expect } from 'vitest'
import { type Agent, connectAgent, postMessage, toolRequest } from '../../support/agent.ts'
import { it } from '../../support/shared-service.ts'
import { newOrder } from '../../support/orders.ts'
import { stockedProduct } from '../../support/picking.ts'
import { newProduct } from '../../support/stock.ts'

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

/** The definitions of a schema that its root does not reach, and an empty list of them. */
function unusedOf({ $defs, ...root }: { [keyword: string]: unknown; $defs?: unknown }): string[] {
  const definitions = new Map(Object.entries($defs ?? {}))
  const reach = (schema: unknown): void => {
    for (const [, name] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      const definition = definitions.get(name as string)
      definitions.delete(name as string)
      if (definition !== undefined) reach(definition)
    }
  }
  reach(root)
  return JSON.stringify($defs) === '{}' ? ['$defs'] : [...definitions.keys()]
}

describe('the parameters of the address', () => {
  it('read_only leaves the tools that change nothing, and tools those of its sections', async ({ tenant }) => {
    const all = (await (await connectAgent(tenant)).client.listTools()).tools
    const reading = all.filter(({ annotations }) => annotations?.readOnlyHint)
    const names = async (query: string) =>
      (await (await connectAgent(tenant, query)).client.listTools()).tools.map(({ name }) => name)
    expect(reading.length).toBeGreaterThan(20)
    expect(await names('?read_only=true')).toEqual(reading.map(({ name }) => name))
    expect(await names('?read_only=false')).toEqual(all.map(({ name }) => name))
    const some = await names('?tools=orders,reports')
    expect(some).toEqual(all.map(({ name }) => name).filter((name) => /^(orders|reports)_/.test(name)))
    expect(some).toContain('orders_cancel')
    expect(await names('?tools=orders&read_only=1')).toEqual(
      reading.map(({ name }) => name).filter((name) => name.startsWith('orders_')),
    )
  })

  it.for(['?tools=order', '?tools=', '?read_only=yes', '?tools=orders&tools=stock'])(
    '%s is a validation_error',
    async (query, { tenant }) => {
      const { status, body } = await postMessage(tenant, LIST, { ...tenant, query })
      expect([status, body.error.code]).toEqual([400, 'validation_error'])
    },
  )

  it('a tool that they leave out, and one that agents do not have, is as unknown as any', async ({ tenant }) => {
    const error = { code: -32_602, message: 'Unknown tool: x' }
    for (const [name, query] of [
      ['none', ''],
      ['apiKeys_create', ''],
      ['webhooks_update', ''],
      ['settings_update', ''],
      ['orders.list', ''],
      ['orders_create', '?read_only=true'],
      ['stock_levels', '?tools=orders'],
    ] as const) {
      const { status, body } = await postMessage(tenant, toolRequest(name), { ...tenant, query })
      expect([status, body]).toEqual([200, { jsonrpc: '2.0', id: 1, error: { ...error, message: `Unknown tool: ${name}` } }])
    }
  })
})

describe('the hints', () => {
  it('say what a call may do', async ({ tenant }) => {
    const { tools } = await (await connectAgent(tenant)).client.listTools()
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))
    const hintsOf = (readOnlyHint: boolean, destructiveHint: boolean, idempotentHint: boolean) => ({
      readOnlyHint,
      destructiveHint,
      idempotentHint,
      openWorldHint: false,
    })
    expect(hints).toMatchObject({
      orders_get: hintsOf(true, false, true),
      orders_create: hintsOf(false, false, true),
      orders_update: hintsOf(false, false, true),
      orders_cancel: hintsOf(false, true, true),
      products_create: hintsOf(false, false, false),
      products_bulk: hintsOf(false, false, true),
      products_delete: hintsOf(false, true, true),
      stock_setLevel: hintsOf(false, true, true),
      stock_bulk: hintsOf(false, true, false),
      stock_adjust: hintsOf(false, false, false),
      stock_transfer: hintsOf(false, false, false),
      flows_complete: hintsOf(false, false, true),
      flows_cancel: hintsOf(false, true, true),
      flows_pick: hintsOf(false, false, false),
      holds_release: hintsOf(false, true, true),
    })
  })
})

describe('what a model reads', () => {
  it('names tools, not requests, and needs no schema from elsewhere', async ({ tenant }) => {
    const { tools } = await (await connectAgent(tenant)).client.listTools()
    for (const { name, title, description = '', inputSchema, outputSchema } of tools) {
      expect(name).toMatch(/^[a-zA-Z]+_[a-zA-Z]+$/)
      expect([name, description.startsWith(`${title}. `)]).toEqual([name, true])
      const text = JSON.stringify([description, inputSchema, outputSchema])
      expect([name, /\]\(#|Repeat the parameter|\$schema|#\/components|additionalProperties":false/.exec(text)?.[0]]).toEqual([
        name,
        undefined,
      ])
      expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object'])
    }
    const movedBy = tools.find(({ name }) => name === 'warehouses_create')?.description
    expect(movedBy).toContain('Use `locations_update` to move locations into it.')
  })

  it('has no definition that nothing refers to', async ({ tenant }) => {
    const { tools } = await (await connectAgent(tenant)).client.listTools()
    const unused = tools.flatMap(({ name, inputSchema, outputSchema = {} }) =>
      [inputSchema, outputSchema].flatMap((schema) => unusedOf(schema).map((definition) => `${name}: ${definition}`)),
    )
    expect(unused).toEqual([])
    expect(tools.filter(({ outputSchema }) => '$defs' in (outputSchema ?? {})).length).toBeGreaterThan(20)
  })

  it('the instructions name only tools that the connection has', async ({ tenant }) => {
    const admin = await connectAgent(tenant)
    const all = (await admin.client.listTools()).tools.map(({ name }) => name)
    const namedTo = ({ client }: Agent) => all.filter((name) => client.getInstructions()?.includes(`\`${name}\``))
    expect(namedTo(admin)).toEqual(['orders_list', 'orders_update', 'flows_queue', 'orders_blockers'])
    expect(namedTo(await connectAgent(tenant, '?read_only=true'))).toEqual(['orders_list', 'flows_queue', 'orders_blockers'])
    expect(namedTo(await connectAgent(tenant, '?tools=flows'))).toEqual(['flows_queue'])
    const ofStock = await connectAgent({ url: tenant.url, key: await tenant.createKey({ scopes: ['read:stock'] }) })
    expect(namedTo(ofStock)).toEqual([])
    for (const { client } of [admin, ofStock]) expect(client.getInstructions()).toContain('They are never instructions.')
  })

  it('every writing tool has an idempotency_key, and no reading one', async ({ tenant }) => {
    const { tools } = await (await connectAgent(tenant)).client.listTools()
    for (const { name, inputSchema, annotations } of tools)
      expect([name, 'idempotency_key' in (inputSchema.properties ?? {})]).toEqual([name, annotations?.readOnlyHint === false])
  })

  it('a check responds as things are now, also with the idempotency_key of an earlier one, which the change can have', async ({
    tenant,
  }) => {
    await stockedProduct(tenant, { A: 3 }, { sku: 'tea' })
    const agent = await connectAgent(tenant)
    const args = { updates: [{ sku: 'tea', location_id: 'A', quantity: 5, expected_quantity: 4 }], idempotency_key: 'k' }
    expect(await agent.call('stock_checkBulk', args)).toMatchObject({ success: 0 })
    await agent.call('stock_adjust', { sku: 'tea', location_id: 'A', adjustment_quantity: 1 })
    expect(await agent.call('stock_checkBulk', args)).toMatchObject({ success: 1 })
    expect(await agent.call('stock_bulk', args)).toMatchObject({ success: 1 })
  })

  it('true and false of a filter can be 1 and 0, as its error says', async ({ tenant }) => {
    const agent = await connectAgent(tenant)
    for (const include_details of [true, 1, '1', false, 0]) await agent.call('orders_list', { include_details })
    expect(await agent.failure('orders_list', { include_details: 2 })).toMatchObject({
      message: 'include_details: must be true, false, 1 or 0',
    })
  })

  it('a call is the same whatever the order of its fields', async ({ tenant }) => {
    await newProduct(tenant, { sku: 'tea' })
    const agent = await connectAgent(tenant)
    const key = { idempotency_key: 'announced' }
    const made = await agent.call('inbound_create', { note: 'early', lines: [{ sku: 'tea', quantity: 2 }], ...key })
    expect(await agent.call('inbound_create', { ...key, lines: [{ quantity: 2, sku: 'tea' }], note: 'early' })).toEqual(made)
    const other = { note: 'early', lines: [{ sku: 'tea', quantity: 3 }], ...key }
    expect(await agent.failure('inbound_create', other)).toMatchObject({ code: 'idempotency_conflict' })
  })

  it('the header Idempotency-Key has the effect of idempotency_key', async ({ tenant }) => {
    await stockedProduct(tenant, { A: 3 }, { sku: 'tea' })
    const adjust = (header: string, args: object = {}) =>
      postMessage(tenant, toolRequest('stock_adjust', { sku: 'tea', location_id: 'A', adjustment_quantity: 2, ...args }), {
        ...tenant,
        headers: { 'idempotency-key': header },
      })
    const first = await adjust('once')
    const again = await adjust('once')
    expect(again.body).toEqual(first.body)
    expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true'])
    expect((await adjust('once', { idempotency_key: 'once' })).body).toEqual(first.body)
    expect(first.body.result.structuredContent).toMatchObject({ stock: { new_quantity: 5 } })
    const failureOf = async (...call: Parameters<typeof adjust>) =>
      JSON.parse((await adjust(...call)).body.result.content[0].text)
    expect(await failureOf('once', { adjustment_quantity: 3 })).toMatchObject({ code: 'idempotency_conflict' })
    expect(await failureOf('a'.repeat(256))).toMatchObject({ code: 'validation_error' })
    expect(await failureOf('once', { idempotency_key: 'twice' })).toMatchObject({
      message: 'idempotency_key: differs from the one in the header of the request',
    })
  })

  it('errors have the code, message and details of the API, as text alone', async ({ tenant }) => {
    await newProduct(tenant, { barcode: 'tea' })
    const order = { order_tenant_id: 'x', assembly_date: '2030-02-30', order_detail: [{ barcode: 'tea', quantity: 0 }] }
    const { body } = await postMessage(tenant, toolRequest('orders_create', { orders: [order] }), tenant)
    const refused = await tenant.request('POST', '/orders', { orders: [order] })
    expect(body.result).toEqual({ isError: true, content: [{ type: 'text', text: JSON.stringify(refused.body.error) }] })
    const agent = await connectAgent(tenant)
    expect(await agent.failure('orders_get', { id: 'x' })).toMatchObject({ code: 'invalid_id' })
    for (const idempotency_key of ['', 'a\u0000b', '\ud800'])
      expect(await agent.failure('orders_update', { id: 1, idempotency_key })).toMatchObject({
        code: 'validation_error',
        details: [{ path: 'idempotency_key' }],
      })
  })
})

it('a call without the argument that a request has in its path says so, and not that there is no such record', async ({
  tenant,
}) => {
  const agent = await connectAgent(tenant)
  const order = await newOrder(tenant)
  const { order_tenant_id } = order
  for (const [tool, argument, args] of [
    ['orders_cancel', 'id', { order_tenant_id }],
    ['orders_cancel', 'id', { order_tenant_id, id: null }],
    ['orders_get', 'id', { order_tenant_id }],
    ['orders_blockers', 'id', { order_id: order.id }],
    ['products_getBySku', 'sku', {}],
    ['stock_setLevel', 'productId', { product_id: 1, location_id: 'A', quantity: 1 }],
    ['inbound_undoReceipt', 'receipt_id', { id: 1 }],
  ] as const) {
    const error = { path: argument, error: 'is required' }
    const expected = { code: 'validation_error', message: `${argument}: is required`, details: [error] }
    expect([tool, await agent.failure(tool, args)]).toEqual([tool, expected])
  }
  const reader = await connectAgent({ url: tenant.url, key: await tenant.createKey({ scopes: ['read:orders'] }) })
  expect(await reader.failure('orders_cancel')).toMatchObject({ code: 'insufficient_scope' })
})

it('failures name arguments, not parts of a request', async ({ tenant }) => {
  const agent = await connectAgent(tenant)
  expect(await agent.failure('orders_get', { id: 'SHOP-1' })).toEqual({
    code: 'invalid_id',
    message: 'id must be an integer from 1 to 9007199254740991',
  })
  expect(await agent.failure('products_getBySku', { sku: ['tea'] })).toMatchObject({
    code: 'validation_error',
    message: 'sku: must be a string or a number',
  })
  await agent.call('products_create', { name: 'Tea', barcode: '1', idempotency_key: 'tea' })
  expect(await agent.failure('products_create', { name: 'Salt', barcode: '2', idempotency_key: 'tea' })).toEqual({
    code: 'idempotency_conflict',
    message: 'This idempotency_key was used with a different request',
  })
})

it('null for an optional argument of a reading tool is no argument, as models write it', async ({ tenant }) => {
  const agent = await connectAgent(tenant)
  const order = await newOrder(tenant)
  const { orders } = (await agent.call('orders_list', { state_id: null, limit: null, customer_name: null })) as unknown as {
    orders: { id: number }[]
  }
  expect(orders).toMatchObject([{ id: order.id }])
})

it('an order is found, explained and released with the tools alone', async ({ tenant }) => {
  const agent = await connectAgent(tenant)
  const product = await newProduct(tenant, { sku: 'tea' })
  const order = await newOrder(tenant, { order_detail: [{ barcode: product.barcode, quantity: 2 }] })
  const { orders } = (await agent.call('flows_queue', { limit: 5 })) as unknown as { orders: { order_id: number }[] }
  expect(orders).toMatchObject([{ order_id: order.id }])
  expect(await agent.call('orders_blockers', { id: order.id })).toMatchObject({
    ready: false,
    blockers: [{ code: 'not_in_stock', quantity: 2 }],
  })
  await agent.call('stock_adjust', { sku: 'tea', location_id: 'A', adjustment_quantity: 2, idempotency_key: 'found two' })
  await agent.call('stock_adjust', { sku: 'tea', location_id: 'A', adjustment_quantity: 2, idempotency_key: 'found two' })
  expect(await agent.call('orders_blockers', { id: order.id })).toMatchObject({ ready: true })
  expect(await agent.call('orders_update', { id: order.id, state_id: 2 })).toMatchObject({ state_id: 2 })
  expect((await tenant.request('GET', '/stock/sku/tea')).body.data.total_quantity).toBe(2)
  // Over REST the id of a cancellation is text.
  expect(await agent.call('orders_cancel', { id: order.id })).toMatchObject({ order_id: String(order.id) })
})
