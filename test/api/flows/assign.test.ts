import { describe, expect } from 'vitest'
import { failure } from '../../support/orders.ts'
import { pick, startedFlow, stockedProduct } from '../../support/picking.ts'
import type { TestTenant } from '../../support/service.ts'
import { cancel, complete, flowOf, movementsOf, newEvents, start } from './calls.ts'
import { it } from './it.ts'

const GRACE = { operator_email: 'grace@example.com', operator_id: 8 }

const assign = (tenant: TestTenant, flow: number, body: object = GRACE) => tenant.request('POST', `/flows/${flow}/assign`, body)

const ids = async (tenant: TestTenant, query: string) =>
  (await tenant.request('GET', `/flows${query}`)).body.data.flows.map(({ id }: { id: number }) => id)

describe('assigning a flow', () => {
  it('gives it to another operator, with its picks, and sends nothing', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { 'A-1': 10 })
    const { order, flow } = await startedFlow(tenant, [[tea, 3]])
    const take = () => pick(tenant, flow, { barcode: tea.barcode, location_id: 'A-1', quantity: 1 })
    await take()
    await newEvents(service, tenant)
    const before = (await tenant.request('GET', '/flows')).body.data.flows[0]
    const { status, body } = await assign(tenant, flow)
    expect([status, body.data]).toEqual([200, { ...before, ...GRACE }])
    expect(await newEvents(service, tenant)).toEqual([])
    await take()
    expect(await flowOf(tenant, flow)).toMatchObject({ ...GRACE, items_picked: 1, total_quantity_picked: 2 })
    const users = (await movementsOf(tenant, order)).map(({ user_id }: { user_id: number }) => user_id)
    expect(users).toEqual([8, 7])
  })

  it('without an id leaves none', async ({ tenant }) => {
    const { flow } = await startedFlow(tenant, [[await stockedProduct(tenant, {}), 1]])
    const { body } = await assign(tenant, flow, { operator_email: 'grace@example.com' })
    expect(body.data).toMatchObject({ operator_email: 'grace@example.com', operator_id: null })
  })

  it('is for running flows alone', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, {})
    const [completed, cancelled] = [await startedFlow(tenant, [[tea, 1]]), await startedFlow(tenant, [[tea, 1]])]
    await complete(tenant, completed.flow)
    await cancel(tenant, cancelled.flow)
    for (const { flow } of [completed, cancelled]) {
      expect(failure(await assign(tenant, flow))).toEqual([400, 'flow_error'])
      expect(await flowOf(tenant, flow)).toMatchObject({ operator_email: 'ada@example.com', operator_id: 7 })
    }
    expect(failure(await assign(tenant, 999_999))).toEqual([404, 'not_found'])
    expect(failure(await assign(tenant, completed.flow, {}))).toEqual([400, 'validation_error'])
  })
})

describe('the flows of an operator', () => {
  it('are listed by e-mail address, in any case of its letters', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, {})
    const a = await startedFlow(tenant, [[tea, 1]])
    const b = await startedFlow(tenant, [[tea, 1]])
    const c = await startedFlow(tenant, [[tea, 1]])
    await complete(tenant, b.flow)
    await assign(tenant, c.flow)
    const again = (await start(tenant, { order_id: b.order.id, operator_email: 'ADA@example.com' })).body.data.id
    const mine = '?operator_email=Ada@Example.com'
    expect(await ids(tenant, mine)).toEqual([again, b.flow, a.flow])
    expect(await ids(tenant, `${mine}&state=started`)).toEqual([again, a.flow])
    expect(await ids(tenant, `${mine}&order_id=${b.order.id}`)).toEqual([again, b.flow])
    expect(await ids(tenant, `${mine}&order_id=${b.order.id}&state=completed`)).toEqual([b.flow])
    expect(await ids(tenant, '?operator_email=grace@example.com')).toEqual([c.flow])
    expect(await ids(tenant, '?operator_email=grace')).toEqual([])
    const { pagination } = (await tenant.request('GET', `/flows${mine}&limit=2&page=2`)).body.data
    expect(pagination).toEqual({ total: 3, page: 2, limit: 2, total_pages: 2 })
  })
})
