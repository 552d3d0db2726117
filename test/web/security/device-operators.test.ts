import { describe, expect } from 'vitest'
import { it } from '../../support/it.ts'
import { newOrder } from '../../support/orders.ts'
import { atMost } from '../../support/patience.ts'
import { pick, type PickableProduct, stockedProduct, stockOf } from '../../support/picking.ts'
import type { TestService, TestTenant } from '../../support/service.ts'
import { refusalText } from '../../../web/scan/app/refusal-text.ts'
import { outcome, type PageResponse } from '../support/page-client.ts'
import { deviceOf, enrolled, newDeviceCode, newOperator, ScanClient } from '../support/scan-client.ts'

const INVALID = [401, 'invalid_code']
const REQUIRED = [403, 'operator_required']
const NOT_ALLOWED = [403, 'operator_not_allowed']

const query = async (service: TestService, sql: string, values: unknown[]) =>
  (await service.db.dedicatedPool.query(sql, values)).rows

/** A flow that a device started, of an order of 10 of a product. */
async function flowOf(tenant: TestTenant, client: ScanClient, product: PickableProduct): Promise<number> {
  const order = await newOrder(tenant, { order_detail: [{ barcode: product.barcode, quantity: 10 }] })
  return (await client.call('POST', '/flows', { order_id: order.id })).body.data.id
}

const pickOf = (product: PickableProduct, pick_id: string) => ({
  barcode: product.barcode,
  location_id: 'A-1',
  quantity: 1,
  pick_id,
})

const as = ({ id }: { id: number | string }) => ({ 'x-page-operator': String(id) })

describe('a badge', () => {
  it('signs its operator in on a device, and another one in the place of the first', async ({ tenant }) => {
    const [ada, bob] = [await newOperator(tenant), await newOperator(tenant, { name: 'Bob', may_change_stock: true })]
    const client = await enrolled(tenant)
    expect(outcome(await client.call('GET', '/flows/queue'))).toEqual(REQUIRED)
    const { id, name, email } = ada
    expect((await client.scanBadge(ada)).body.data.operator).toEqual({ id, name, email, may_change_stock: false })
    expect((await client.call('GET', '/flows/queue')).status).toBe(200)
    await client.scanBadge(bob)
    const { operator } = (await client.send('GET', '/scan/session')).body.data
    expect(operator).toEqual({ id: bob.id, name: 'Bob', email: bob.email, may_change_stock: true })
  })

  it('is understood as people type it', async ({ tenant }) => {
    const ada = await newOperator(tenant)
    const typed = ` ${ada.badge
      .toLowerCase()
      .replaceAll('0', 'o')
      .replaceAll(/1(?=[^-]*$)/g, 'i')} `
    expect((await (await enrolled(tenant)).scanBadge({ ...ada, badge: typed })).status).toBe(200)
  })

  it('is valid until it is replaced, for active operators of the tenant', async ({ service, tenant }) => {
    const ada = await newOperator(tenant)
    const client = await enrolled(tenant)
    const scan = async (badge = ada.badge) => outcome(await client.scanBadge({ ...ada, badge }))
    const { badge } = (await tenant.request('POST', `/operators/${ada.id}/badge`)).body.data
    expect(await scan()).toEqual(INVALID)
    expect(await scan(badge)).toEqual([200, undefined])
    await tenant.request('PUT', `/operators/${ada.id}`, { is_active: false })
    expect(await scan(badge)).toEqual(INVALID)
    const foreign = await newOperator(await service.newTenant())
    expect(await scan(foreign.badge)).toEqual(INVALID)
    const random = ada.badge.split('-')[2]
    for (const wrong of ['', 'FB', `FB--${random}`, `FB-${foreign.id}-${random}`, `FB-999999999999999-${random}`, `${badge}0`])
      expect(await scan(wrong), wrong).toEqual(INVALID)
  })

  it('opens nothing without an enrolled device', async ({ service, tenant }) => {
    const ada = await newOperator(tenant)
    expect(outcome(await new ScanClient(service.url).scanBadge(ada))).toEqual([401, 'no_session'])
    const ended = await enrolled(tenant)
    const { cookie } = ended
    await ended.send('DELETE', '/scan/session')
    expect(outcome(await new ScanClient(service.url, { cookie }).scanBadge(ada))).toEqual([401, 'no_session'])
    expect(outcome(await new ScanClient(service.url).enrol(ada.badge))).toEqual(INVALID)
  })

  it('is refused 10 times a minute and device, then with 429, and a valid one never', async ({ tenant }) => {
    const ada = await newOperator(tenant)
    const [client, other] = [await enrolled(tenant), await enrolled(tenant)]
    for (let i = 0; i < 10; i++) expect((await client.scanBadge({ id: 1, badge: 'no badge' })).status).toBe(401)
    const response = await client.scanBadge({ id: 1, badge: 'no badge' })
    expect(outcome(response)).toEqual([429, 'rate_limit_exceeded'])
    expect(response.body.error.message).toContain('this device')
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
    expect((await client.scanBadge(ada)).status).toBe(200)
    expect((await other.scanBadge({ id: 1, badge: 'no badge' })).status).toBe(401)
  })

  it('counts against the rate limit of the session', async ({ startService }) => {
    const service = await startService({ rateLimitPerMinute: 20 })
    const tenant = await service.newTenant()
    const ada = await newOperator(tenant)
    const client = await enrolled(tenant)
    const statuses: number[] = []
    for (let i = 0; i < 21; i++) statuses.push((await client.scanBadge(ada)).status)
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429])
  })

  it('is limited like this at the sign-out too, which reads and writes the database', async ({ startService }) => {
    const service = await startService({ rateLimitPerMinute: 20 })
    const client = await enrolled(await service.newTenant())
    const statuses: number[] = []
    for (let i = 0; i < 21; i++) statuses.push((await client.send('DELETE', '/scan/session/operator')).status)
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429])
  })

  it.for([{}, { badge: 1 }, []])('is not %j', async (input, { tenant }) => {
    const client = await enrolled(tenant)
    expect(outcome(await client.send('PUT', '/scan/session/operator', input))).toEqual([400, 'validation_error'])
  })
})

describe('an operator', () => {
  it('is signed out by the device', async ({ tenant }) => {
    const client = await deviceOf(tenant, await newOperator(tenant))
    const { status, body } = await client.send('DELETE', '/scan/session/operator')
    expect([status, body.data.operator, body.data.device_name]).toEqual([200, null, 'Handheld'])
    expect(outcome(await client.call('GET', '/flows/queue'))).toEqual(REQUIRED)
    expect((await client.send('DELETE', '/scan/session/operator')).status).toBe(200)
  })

  it('is not signed out by a sign-out of the operator before, which came late', async ({ tenant }) => {
    const [ada, bob] = [await newOperator(tenant), await newOperator(tenant, { name: 'Bob' })]
    const client = await deviceOf(tenant, ada)
    await client.scanBadge(bob)
    const signOut = (operator: { id: number }) => client.send('DELETE', '/scan/session/operator', undefined, as(operator))
    const { status, body } = await signOut(ada)
    expect([status, body.data.operator.name]).toEqual([200, 'Bob'])
    expect((await signOut(bob)).body.data.operator).toBeNull()
  })

  it('is signed out after an hour without use, for good; background requests are no use', async ({ service, tenant }) => {
    const client = await deviceOf(tenant, await newOperator(tenant))
    const background = { 'x-page-background': '1' }
    const operatorNow = async () => (await client.send('GET', '/scan/session', undefined, background)).body.data.operator
    const age = (interval: string) =>
      query(service, 'update sessions set last_seen_at = now() - $2::interval where tenant_id = $1', [tenant.id, interval])
    await age('59 minutes')
    await untilReadAgain()
    expect(await operatorNow()).not.toBeNull()
    await age('61 minutes')
    await expect.poll(operatorNow).toBeNull()
    expect(outcome(await client.call('GET', '/flows/queue', undefined, background))).toEqual(REQUIRED)
    // This request is a use, but not of the operator.
    expect(outcome(await client.call('GET', '/flows/queue'))).toEqual(REQUIRED)
    await untilReadAgain()
    expect(await operatorNow()).toBeNull()
    expect((await tenant.request('GET', '/sessions')).body.data.sessions[0].operator).toBeNull()
  })

  it('stays signed in while the device is used', async ({ service, tenant }) => {
    const ada = await newOperator(tenant)
    const client = await deviceOf(tenant, ada)
    for (let i = 0; i < 2; i++) {
      await query(
        service,
        `with s as (update sessions set last_seen_at = now() - interval '50 minutes' where tenant_id = $1)
         update device_operators set last_active_at = now() - interval '50 minutes' where tenant_id = $1`,
        [tenant.id],
      )
      await untilReadAgain()
      expect((await client.call('GET', '/flows/queue')).status).toBe(200)
    }
    const { last_active_at } = (await tenant.request('GET', `/operators/${ada.id}`)).body.data
    expect(Date.now() - Date.parse(last_active_at)).toBeLessThan(60_000)
  })

  it('is the one of now on every server', async ({ service, tenant, startService }) => {
    const other = await startService({ databaseUrl: service.databaseUrl })
    const [ada, bob] = [await newOperator(tenant), await newOperator(tenant)]
    const client = await deviceOf(tenant, ada)
    const elsewhere = new ScanClient(other.url, { cookie: client.cookie })
    expect((await elsewhere.call('GET', '/flows/queue', undefined, as(ada))).status).toBe(200)
    await client.scanBadge(bob)
    // At once: the call names an operator whom that server does not know yet.
    expect((await elsewhere.call('GET', '/flows/queue', undefined, as(bob))).status).toBe(200)
    expect(outcome(await elsewhere.call('GET', '/flows/queue', undefined, as(ada)))).toEqual(NOT_ALLOWED)
  })

  it('who is no longer active changes no stock from then on, on every server', async ({ service, tenant, startService }) => {
    const other = await startService({ databaseUrl: service.databaseUrl })
    const ada = await newOperator(tenant)
    const client = await deviceOf(tenant, ada)
    const tea = await stockedProduct(tenant, { 'A-1': 20 })
    const flow = await flowOf(tenant, client, tea)
    const elsewhere = new ScanClient(other.url, { cookie: client.cookie })
    const call = (path: string, body?: object) => elsewhere.call(body ? 'POST' : 'GET', path, body, as(ada))
    expect((await call(`/flows/${flow}/picks`, pickOf(tea, '1'))).status).toBe(200)
    await tenant.request('PUT', `/operators/${ada.id}`, { is_active: false })
    expect(outcome(await call(`/flows/${flow}/picks`, pickOf(tea, '2')))).toEqual(REQUIRED)
    expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 19 })
    await expect.poll(async () => outcome(await client.call('GET', '/flows/queue')), { timeout: atMost(1_000) }).toEqual(REQUIRED)
    await tenant.request('PUT', `/operators/${ada.id}`, { is_active: true })
    await untilReadAgain()
    expect(outcome(await client.call('GET', '/flows/queue'))).toEqual(REQUIRED)
    expect((await client.scanBadge(ada)).status).toBe(200)
  })

  it('whose right to change stock is taken moves nothing from then on, on every server', async ({
    service,
    tenant,
    startService,
  }) => {
    const other = await startService({ databaseUrl: service.databaseUrl })
    const ada = await newOperator(tenant, { may_change_stock: true })
    const client = await deviceOf(tenant, ada)
    const tea = await stockedProduct(tenant, { 'A-1': 20 })
    const elsewhere = new ScanClient(other.url, { cookie: client.cookie })
    const adjust = () =>
      elsewhere.call('POST', '/stock/adjustment', { product_id: tea.id, location_id: 'A-1', adjustment_quantity: -1 }, as(ada))
    expect((await adjust()).status).toBe(200)
    await tenant.request('PUT', `/operators/${ada.id}`, { may_change_stock: false })
    const response = await adjust()
    expect(outcome(response)).toEqual([403, 'not_on_device'])
    expect(response.body.error.message).toBe('Ada may not change stock on a device')
    expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 19 })
  })

  it('is in the audit log: the sign-in, the sign-out and every change', async ({ tenant }) => {
    const ada = await newOperator(tenant)
    const client = await deviceOf(tenant, ada)
    const tea = await stockedProduct(tenant, { 'A-1': 20 })
    await flowOf(tenant, client, tea)
    await client.send('DELETE', '/scan/session/operator')
    const { id } = (await client.send('GET', '/scan/session')).body.data
    const { entries } = (await tenant.request('GET', `/audit-log?operator_email=${ada.email}`)).body.data
    expect(entries.map(({ operation, input }: Record<string, unknown>) => [operation, input])).toEqual([
      ['operators.signOut', { id: ada.id }],
      ['flows.start', expect.objectContaining({ operator_email: ada.email, operator_id: ada.id })],
      ['operators.signIn', { id: ada.id }],
    ])
    for (const entry of entries) expect(entry).toMatchObject({ surface: 'scan', session_id: id, key_name: 'test key' })
  })
})

/** A delivery and a return of a product, and a count of it. */
async function expectedGoods(tenant: TestTenant, { id }: { id: number }) {
  const lines = [{ product_id: id, quantity: 5 }]
  const inbound = (await tenant.request('POST', '/inbound', { lines })).body.data
  const returned = (await tenant.request('POST', '/returns', { lines })).body.data
  const count = (await tenant.request('POST', '/counts', { product_ids: [id] })).body.data
  return { inbound, returned, count }
}

it('goods that a device receives or counts are of its operator, whatever the call says', async ({ tenant }) => {
  const ada = await newOperator(tenant)
  const client = await deviceOf(tenant, ada)
  const tea = await stockedProduct(tenant, { 'A-1': 20 })
  const { inbound, returned, count } = await expectedGoods(tenant, tea)
  const goods = { product_id: tea.id, location_id: 'A-1', quantity: 2, receipt_id: 'r1', operator_id: 666 }
  const responses = [
    await client.call('POST', `/inbound/${inbound.id}/receipts`, goods),
    await client.call('POST', `/returns/${returned.id}/receipts`, { ...goods, disposition: 'restock' }),
    await client.call('POST', `/counts/${count.id}/entries`, goods),
  ]
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(responses[2]?.body.data.line.operator_id).toBe(ada.id)
  for (const path of [`/inbound/${inbound.id}`, `/returns/${returned.id}`])
    expect((await client.call('DELETE', `${path}/receipts/r1?operator_id=666`)).status).toBe(200)
  const { movements } = (await tenant.request('GET', `/stock/movements?product_id=${tea.id}&limit=4`)).body.data
  expect(movements.map(({ user_id }: { user_id: number }) => user_id)).toEqual([ada.id, ada.id, ada.id, ada.id])
})

describe('a picking flow of a device', () => {
  it('is of its operator, whatever the call says', async ({ tenant }) => {
    const ada = await newOperator(tenant)
    const client = await deviceOf(tenant, ada)
    const order = await newOrder(tenant)
    const input = { order_id: order.id, operator_email: 'eve@example.com', operator_id: 666 }
    const { status, body } = await client.call('POST', '/flows', input)
    expect([status, body.data.operator_email, body.data.operator_id]).toEqual([200, ada.email, ada.id])
  })

  it('is changed by its operator alone, on any device', async ({ tenant }) => {
    const [ada, bob] = [await newOperator(tenant), await newOperator(tenant, { name: 'Bob' })]
    const [adas, bobs] = [await deviceOf(tenant, ada), await deviceOf(tenant, bob)]
    const tea = await stockedProduct(tenant, { 'A-1': 20 })
    const flow = await flowOf(tenant, adas, tea)
    expect((await adas.call('POST', `/flows/${flow}/picks`, pickOf(tea, '1'))).status).toBe(200)
    const foreign = [
      await bobs.call('POST', `/flows/${flow}/picks`, pickOf(tea, '2')),
      await bobs.call('DELETE', `/flows/${flow}/picks/1`),
      await bobs.call('POST', `/flows/${flow}/complete`),
      await bobs.call('POST', `/flows/${flow}/cancel`),
    ]
    for (const response of foreign) {
      expect(outcome(response)).toEqual([400, 'flow_error'])
      expect(response.body.error.message).toBe("The picking flow is Ada's")
    }
    expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 19 })
    expect((await bobs.call('GET', `/flows/${flow}`)).body.data).toMatchObject({ state: 'started', items_picked: 1 })
    const again = await deviceOf(tenant, ada)
    expect((await again.call('DELETE', `/flows/${flow}/picks/1`)).status).toBe(200)
    expect((await again.call('POST', `/flows/${flow}/cancel`)).status).toBe(200)
  })

  it('of an operator who is not in the list is told by e-mail address, and of one in other letters is theirs', async ({
    tenant,
  }) => {
    const ada = await newOperator(tenant, { email: 'Ada.Byron@example.com' })
    const client = await deviceOf(tenant, ada)
    const tea = await stockedProduct(tenant, { 'A-1': 20 })
    const flows: number[] = []
    for (const operator_email of ['carl@example.com', 'ADA.byron@EXAMPLE.com']) {
      const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 10 }] })
      flows.push((await tenant.request('POST', '/flows', { order_id: order.id, operator_email })).body.data.id)
    }
    const refused = await client.call('POST', `/flows/${flows[0]}/picks`, pickOf(tea, '1'))
    expect(refused.body.error.message).toBe("The picking flow is carl@example.com's")
    expect((await client.call('POST', `/flows/${flows[1]}/picks`, pickOf(tea, '1'))).status).toBe(200)
    expect((await client.call('DELETE', `/flows/${flows[1]}/picks/1`)).status).toBe(200)
    expect((await client.call('POST', `/flows/${flows[1]}/complete`)).status).toBe(200)
  })

  it('that was assigned to another: what happened before happened, and nothing after', async ({ tenant }) => {
    const [ada, bob] = [await newOperator(tenant), await newOperator(tenant, { name: 'Bob' })]
    const client = await deviceOf(tenant, ada)
    const tea = await stockedProduct(tenant, { 'A-1': 20 })
    const flow = await flowOf(tenant, client, tea)
    const send = (id: string) => client.call('POST', `/flows/${flow}/picks`, pickOf(tea, id))
    const undo = (id: string) => client.call('DELETE', `/flows/${flow}/picks/${id}`)
    const first = (await send('1')).body
    await send('2')
    const undone = (await undo('2')).body
    await tenant.request('POST', `/flows/${flow}/assign`, { operator_email: bob.email })
    expect((await send('1')).body).toEqual(first)
    expect((await undo('2')).body).toEqual(undone)
    for (const response of [await send('3'), await undo('1')])
      expect([...outcome(response), response.body.error.message]).toEqual([400, 'flow_error', "The picking flow is Bob's"])
    expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 19 })
  })

  it('that is being assigned waits for it: nothing is changed for the operator of before', async ({ service, tenant }) => {
    const client = await deviceOf(tenant, await newOperator(tenant))
    const tea = await stockedProduct(tenant, { 'A-1': 20 })
    const flow = await flowOf(tenant, client, tea)
    await client.call('POST', `/flows/${flow}/picks`, pickOf(tea, '1'))
    const assigning = await service.db.dedicatedPool.connect()
    await assigning.query('begin')
    // As flows.assign does.
    await assigning.query(
      'select from orders o join picking_flows f on f.order_id = o.id where f.id = $1 for no key update of o',
      [flow],
    )
    await assigning.query(`update picking_flows set operator_email = 'bob@example.com' where id = $1`, [flow])
    const calls = [
      client.call('POST', `/flows/${flow}/picks`, pickOf(tea, '2')),
      client.call('DELETE', `/flows/${flow}/picks/1`),
      client.call('POST', `/flows/${flow}/complete`),
    ]
    const waiting = async () =>
      (
        await assigning.query(
          `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).rows[0].n
    await expect.poll(waiting).toBe(calls.length)
    await assigning.query('commit')
    assigning.release()
    for (const response of await Promise.all(calls)) {
      expect(outcome(response)).toEqual([400, 'flow_error'])
      expect(response.body.error.message).toBe("The picking flow is bob@example.com's")
    }
    expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 19 })
  })

  it('is changed by keys as ever', async ({ tenant }) => {
    const client = await deviceOf(tenant, await newOperator(tenant))
    const tea = await stockedProduct(tenant, { 'A-1': 20 })
    const flow = await flowOf(tenant, client, tea)
    expect((await pick(tenant, flow, pickOf(tea, '1'))).status).toBe(200)
    expect((await tenant.request('DELETE', `/flows/${flow}/picks/1`)).status).toBe(200)
    expect((await tenant.request('POST', `/flows/${flow}/complete`)).status).toBe(200)
  })
})

describe('X-Page-Operator', () => {
  it('lets a device send what an operator of before has scanned, for their own flow', async ({ tenant }) => {
    const [ada, bob] = [await newOperator(tenant), await newOperator(tenant)]
    const client = await deviceOf(tenant, ada)
    const tea = await stockedProduct(tenant, { 'A-1': 20 })
    const flow = await flowOf(tenant, client, tea)
    await client.scanBadge(bob)
    // Deactivated since, or not.
    await tenant.request('PUT', `/operators/${ada.id}`, { is_active: false })
    const send = (method: string, path: string, body?: object) => client.call(method, `/flows/${flow}${path}`, body, as(ada))
    expect((await send('POST', '/picks', pickOf(tea, '1'))).status).toBe(200)
    expect((await send('POST', '/picks', pickOf(tea, '2'))).status).toBe(200)
    expect((await send('DELETE', '/picks/2')).status).toBe(200)
    expect((await send('POST', '/complete')).status).toBe(200)
    expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 19 })
    const { entries } = (await tenant.request('GET', `/audit-log?operator_email=${ada.email}&operation=flows.pick`)).body.data
    expect(entries).toHaveLength(2)
  })

  it('lets a device send what an operator of before has received and counted, and not for one who was never here', async ({
    tenant,
  }) => {
    const [ada, bob] = [await newOperator(tenant), await newOperator(tenant, { name: 'Bob' })]
    const client = await deviceOf(tenant, ada)
    const tea = await stockedProduct(tenant, { 'A-1': 20 })
    const { inbound, returned, count } = await expectedGoods(tenant, tea)
    await client.scanBadge(bob)
    await tenant.request('PUT', `/operators/${ada.id}`, { is_active: false })
    const goods = { product_id: tea.id, quantity: 2, receipt_id: 'r1', operator_id: ada.id }
    const scanned: [method: string, path: string, body?: object][] = [
      ['POST', `/inbound/${inbound.id}/receipts`, { ...goods, location_id: 'A-1' }],
      ['DELETE', `/inbound/${inbound.id}/receipts/r1`],
      ['POST', `/returns/${returned.id}/receipts`, { ...goods, disposition: 'scrap' }],
      ['DELETE', `/returns/${returned.id}/receipts/r1`],
      ['POST', `/counts/${count.id}/entries`, { product_id: tea.id, location_id: 'A-1', quantity: 20 }],
    ]
    const grace = await newOperator(tenant, { name: 'Grace' })
    for (const [method, path, body] of scanned) {
      expect(outcome(await client.call(method, path, body, as(grace))), path).toEqual(NOT_ALLOWED)
      expect(outcome(await client.call(method, path, body, as(ada))), path).toEqual([200, undefined])
    }
    expect(outcome(await client.call('POST', `/counts/${count.id}/submit`, undefined, as(ada)))).toEqual(NOT_ALLOWED)
    const { entries } = (await tenant.request('GET', `/audit-log?operator_email=${ada.email}&surface=scan`)).body.data
    expect(entries.slice(0, 5).map(({ operation }: { operation: string }) => operation)).toEqual([
      'counts.addEntry',
      'returns.undoReceipt',
      'returns.receive',
      'inbound.undoReceipt',
      'inbound.receive',
    ])
  })

  it('grants nothing else', async ({ service, tenant }) => {
    const ada = await newOperator(tenant, { may_change_stock: true })
    const bob = await newOperator(tenant, { may_change_stock: true })
    const client = await deviceOf(tenant, ada)
    const tea = await stockedProduct(tenant, { 'A-1': 20 })
    const own = await flowOf(tenant, client, tea)
    await client.scanBadge(bob)
    const bobs = await flowOf(tenant, client, tea)
    const order = await newOrder(tenant)
    const level = { product_id: tea.id, location_id: 'A-1' }
    const refused: [string, string, object?][] = [
      ['GET', '/flows/queue'],
      ['GET', `/flows/${own}`],
      ['POST', '/flows', { order_id: order.id }],
      ['POST', `/flows/${own}/cancel`],
      ['POST', `/flows/${bobs}/picks`, pickOf(tea, '1')],
      ['POST', `/flows/${bobs}/complete`],
      ['POST', '/stock/adjustment', { ...level, adjustment_quantity: 1 }],
    ]
    for (const [method, path, body] of refused)
      expect(outcome(await client.call(method, path, body, as(ada))), path).toEqual(NOT_ALLOWED)
    expect((await client.call('POST', `/flows/${bobs}/picks`, pickOf(tea, '1'))).status).toBe(200)
    expect(outcome(await client.call('DELETE', `/flows/${bobs}/picks/1`, undefined, as(ada)))).toEqual(NOT_ALLOWED)
    expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 19 })
    // An operator who never used this device.
    const carl = await newOperator(tenant)
    await deviceOf(tenant, carl)
    const foreign = await newOperator(await service.newTenant())
    for (const id of [carl.id, foreign.id, 0, -1, 1.5, '', 'x', '9'.repeat(20)])
      expect(outcome(await client.call('POST', `/flows/${own}/picks`, pickOf(tea, '1'), as({ id }))), `${id}`).toEqual(
        NOT_ALLOWED,
      )
    expect((await client.call('POST', `/flows/${own}/picks`, pickOf(tea, '1'), as(ada))).status).toBe(200)
  })

  it('needs an operator who is signed in now', async ({ tenant }) => {
    const ada = await newOperator(tenant)
    const client = await deviceOf(tenant, ada)
    const tea = await stockedProduct(tenant, { 'A-1': 20 })
    const flow = await flowOf(tenant, client, tea)
    await client.send('DELETE', '/scan/session/operator')
    expect(outcome(await client.call('POST', `/flows/${flow}/picks`, pickOf(tea, '1'), as(ada)))).toEqual(REQUIRED)
  })

  it('goes on for a device that was enrolled again, and not for another one', async ({ tenant }) => {
    const [ada, bob] = [await newOperator(tenant), await newOperator(tenant)]
    const client = await deviceOf(tenant, ada)
    const tea = await stockedProduct(tenant, { 'A-1': 20 })
    const flow = await flowOf(tenant, client, tea)
    const other = await deviceOf(tenant, bob)
    expect(outcome(await other.call('POST', `/flows/${flow}/picks`, pickOf(tea, '1'), as(ada)))).toEqual(NOT_ALLOWED)
    client.cookie = undefined
    await client.enrol(await newDeviceCode(tenant))
    await client.scanBadge(bob)
    expect((await client.call('POST', `/flows/${flow}/picks`, pickOf(tea, '1'), as(ada))).status).toBe(200)
  })

  it('tells of an earlier pick that it happened, also after its flow was assigned to another', async ({ tenant }) => {
    const [ada, bob] = [await newOperator(tenant), await newOperator(tenant)]
    const client = await deviceOf(tenant, ada)
    const tea = await stockedProduct(tenant, { 'A-1': 20 })
    const flow = await flowOf(tenant, client, tea)
    const first = (await client.call('POST', `/flows/${flow}/picks`, pickOf(tea, '1'))).body
    await client.scanBadge(bob)
    await tenant.request('POST', `/flows/${flow}/assign`, { operator_email: bob.email })
    const send = (id: string) => client.call('POST', `/flows/${flow}/picks`, pickOf(tea, id), as(ada))
    expect((await send('1')).body).toEqual(first)
    expect(outcome(await send('2'))).toEqual(NOT_ALLOWED)
  })

  it('may be left out: the call is for the operator who is signed in', async ({ tenant }) => {
    const ada = await newOperator(tenant)
    const client = await deviceOf(tenant, ada)
    const silent = { 'x-page-operator': undefined }
    expect((await client.call('GET', '/flows/queue', undefined, silent)).status).toBe(200)
    const order = await newOrder(tenant)
    const started = await client.call('POST', '/flows', { order_id: order.id }, silent)
    expect(started.body.data.operator_email).toBe(ada.email)
  })
})

it('what the server refuses is told to operators without names of headers, fields and operations', async ({ tenant }) => {
  const ada = await newOperator(tenant, { may_change_stock: true })
  const [bob, grace] = [await newOperator(tenant, { name: 'Bob' }), await newOperator(tenant, { name: 'Grace' })]
  const client = await deviceOf(tenant, ada)
  const tea = await stockedProduct(tenant, { 'A-1': 20 })
  const flow = await flowOf(tenant, client, tea)
  const { order_id } = (await client.call('GET', `/flows/${flow}`)).body.data
  const long = 'x'.repeat(256)
  const move = { product_id: tea.id, from_location_id: 'A-1', to_location_id: 'B-1', quantity: 0 }
  const told = (response: PageResponse, isKept = false): string => {
    expect(response.status).toBeGreaterThanOrEqual(400)
    return refusalText(response.body.error, isKept)
  }
  expect(told(await client.call('POST', '/flows', { order_id }))).toBe('This order is being picked already.')
  expect(told(await client.call('GET', '/webhooks'))).toBe('This device may not do this.')
  expect(told(await client.call('GET', '/of-a-newer-version'))).toBe('This device may not do this.')
  for (const path of [`/orders?order_tenant_id=${long}`, `/inbound?reference=${long}`, `/counts?reference=${long}`])
    expect(told(await client.call('GET', path)), path).toBe('This code is not known here')
  expect(told(await client.call('POST', '/stock/transfer', move))).toBe('The quantity must be above 0')
  const samePlace = { ...move, to_location_id: 'A-1', quantity: 1 }
  expect(told(await client.call('POST', '/stock/transfer', samePlace))).toBe('The server refused this')
  const elsewhere = { 'sec-fetch-site': 'cross-site' }
  expect(told(await client.call('GET', '/flows/queue', undefined, elsewhere))).toBe(
    'This address is not set up for scanning. Tell the office.',
  )
  expect(told(await client.call('GET', '/flows/queue', undefined, as(bob)))).toBe(
    'The server does not have you signed in on this device. Scan your badge.',
  )
  const send = (operator: { id: number }) => client.call('POST', `/flows/${flow}/picks`, pickOf(tea, '1'), as(operator))
  expect(told(await send(grace), true)).toBe('The server does not know that this was scanned here.')
  await client.scanBadge(bob)
  await tenant.request('POST', `/flows/${flow}/assign`, { operator_email: bob.email })
  expect(told(await send(ada), true)).toBe('Another operator has this order now.')
  const { body } = await tenant.request('POST', '/api-keys', { name: 'Handhelds', scopes: ['read:stock'] })
  const limited = await deviceOf(tenant, ada, { key_id: body.data.id })
  expect(told(await limited.call('GET', '/flows/queue'))).toBe(
    'This device may not do this: its key lacks read:orders. Ask the office.',
  )
})

/** Until a server asks the database again. */
const untilReadAgain = () => new Promise((resolve) => setTimeout(resolve, 900))
