import { describe, expect } from 'vitest'
import { failure } from '../../support/orders.ts'
import { pick, startedFlow, stockedProduct, stockOf } from '../../support/picking.ts'
import type { TestTenant } from '../../support/service.ts'
import { cancel, flowOf, undo } from './calls.ts'
import { it } from './it.ts'

const change = (tenant: TestTenant, id: string, body: object) => tenant.request('PUT', `/locations/${id}`, body)

const locationsOf = async (tenant: TestTenant, flow: number): Promise<string[][]> =>
  (await flowOf(tenant, flow)).lines.map(({ locations }: { locations: { location_id: string }[] }) =>
    locations.map(({ location_id }) => location_id),
  )

describe('a location that is not pickable', () => {
  it('is in no line of the flow, and takes no pick', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5, B: 5 })
    const { flow } = await startedFlow(tenant, [[tea, 4]])
    await change(tenant, 'A', { pickable: false })
    expect(await locationsOf(tenant, flow)).toEqual([['B']])
    const [{ order_detail_id }] = (await flowOf(tenant, flow)).lines
    for (const name of [{ barcode: tea.barcode }, { product_id: tea.id }, { order_detail_id }]) {
      const refused = await pick(tenant, flow, { ...name, location_id: 'A', quantity: 1 })
      expect(failure(refused)).toEqual([400, 'flow_error'])
      expect(refused.body.error.message).toBe('Location A is not pickable')
    }
    expect(await stockOf(tenant, tea)).toEqual({ A: 5, B: 5 })
    expect((await pick(tenant, flow, { product_id: tea.id, location_id: 'B', quantity: 1 })).status).toBe(200)
    await change(tenant, 'A', { pickable: true })
    expect(await locationsOf(tenant, flow)).toEqual([['A', 'B']])
    expect((await pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 1 })).status).toBe(200)
  })

  it('is named after the rules of the flow, and before short stock', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 2 })
    const { flow } = await startedFlow(tenant, [[tea, 4]])
    await change(tenant, 'A', { pickable: false })
    const messageOf = async (body: object) =>
      (await pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 1, ...body })).body.error.message
    expect(await messageOf({ product_id: 999_999 })).toBe('Product not found')
    expect(await messageOf({ quantity: 0.5 })).toContain('weighable')
    expect(await messageOf({ quantity: 5 })).toBe('Cannot pick 5: only 4 left to pick')
    expect(await messageOf({ quantity: 3 })).toBe('Location A is not pickable')
  })

  it('gets back what was picked there before, by undo and by cancel', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 9 })
    const { flow } = await startedFlow(tenant, [[tea, 4]])
    for (const pick_id of ['one', 'two']) await pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 1, pick_id })
    await change(tenant, 'A', { pickable: false })
    const again = await pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 1, pick_id: 'one' })
    expect([again.status, again.body.data.pick.id]).toEqual([200, 'one'])
    expect((await undo(tenant, flow, 'one')).status).toBe(200)
    expect(await stockOf(tenant, tea)).toEqual({ A: 8 })
    expect((await cancel(tenant, flow)).status).toBe(200)
    expect(await stockOf(tenant, tea)).toEqual({ A: 9 })
  })

  it('of another tenant does not matter', async ({ service, tenant }) => {
    const other = await service.newTenant()
    await stockedProduct(other, { A: 5 })
    await change(other, 'A', { pickable: false })
    const tea = await stockedProduct(tenant, { A: 5 })
    const { flow } = await startedFlow(tenant, [[tea, 1]])
    expect((await pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 1 })).status).toBe(200)
  })

  it('gets no pick that begins after the change, of many at once', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100, B: 100 })
    const flows = await Promise.all(Array.from({ length: 8 }, () => startedFlow(tenant, [[tea, 10]])))
    const taken = (round: number) =>
      flows.map(({ flow }, index) =>
        pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 1, pick_id: `${round} ${index}` }),
      )
    const during = taken(1)
    const changed = change(tenant, 'A', { pickable: false })
    const more = taken(2)
    expect((await changed).status).toBe(200)
    const after = taken(3)
    const responses = await Promise.all([...during, ...more])
    expect(new Set((await Promise.all(after)).map((response) => failure(response).join(' ')))).toEqual(
      new Set(['400 flow_error']),
    )
    const done = responses.filter(({ status }) => status === 200).length
    expect(new Set(responses.filter(({ status }) => status !== 200).map(({ body }) => body.error?.message))).toEqual(
      new Set(done === responses.length ? [] : ['Location A is not pickable']),
    )
    expect(await stockOf(tenant, tea)).toEqual({ A: 100 - done, B: 100 })
  })
})

describe('the pick order', () => {
  it('is by pick_sequence, without one last, then by location id', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { 'A-10': 1, 'A-9': 1, B: 1, C: 1, D: 1, E: 1 })
    const rice = await stockedProduct(tenant, { B: 1, D: 1 })
    const { flow } = await startedFlow(tenant, [
      [tea, 4],
      [rice, 1],
    ])
    expect(await locationsOf(tenant, flow)).toEqual([
      ['A-10', 'A-9', 'B', 'C', 'D', 'E'],
      ['B', 'D'],
    ])
    for (const [id, pick_sequence] of [
      ['D', 0],
      ['C', 20],
      ['E', 20],
      ['B', 100],
    ] as const)
      await change(tenant, id, { pick_sequence })
    expect(await locationsOf(tenant, flow)).toEqual([
      ['D', 'C', 'E', 'B', 'A-10', 'A-9'],
      ['D', 'B'],
    ])
    expect((await flowOf(tenant, flow)).lines[1].locations).toEqual([
      { location_id: 'D', location_code: 'D', quantity: 1, pick_sequence: 0 },
      { location_id: 'B', location_code: 'B', quantity: 1, pick_sequence: 100 },
    ])
    await change(tenant, 'D', { pick_sequence: null })
    expect(await locationsOf(tenant, flow)).toEqual([
      ['C', 'E', 'B', 'A-10', 'A-9', 'D'],
      ['B', 'D'],
    ])
  })
})

it('a location that is not sellable can be picked from', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, { A: 5 })
  const { flow } = await startedFlow(tenant, [[tea, 4]])
  await change(tenant, 'A', { sellable: false })
  expect(await locationsOf(tenant, flow)).toEqual([['A']])
  expect((await pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 4 })).status).toBe(200)
})
