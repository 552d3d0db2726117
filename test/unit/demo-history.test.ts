import { describe, expect, it } from 'vitest'
import { demoWorld } from '@fulfillment/server/demo/fill-tenant.ts'
import { isInNorth, shelfOf } from '@fulfillment/server/demo/places.ts'

const NOW = Date.UTC(2026, 10, 23, 14, 30)
const TODAY = Date.UTC(2026, 10, 23)
const OPTIONS = { seed: 1, products: 60, days: 30, orders: 40 }
const world = demoWorld(OPTIONS, NOW)

describe('the history of a demo', () => {
  it('is the same for the same seed, options and day, and another one for another seed', () => {
    expect(demoWorld(OPTIONS, TODAY)).toEqual(world)
    expect(demoWorld({ ...OPTIONS, seed: 2 }, NOW).history).not.toEqual(world.history)
    expect(demoWorld(OPTIONS, NOW + 86_400_000).history).not.toEqual(world.history)
  })

  it('has the open orders that were asked for, in the states 1, 2 and 3, and no other ones', () => {
    const count = (state: number) => world.history.orders.filter((order) => order.state === state).length
    expect([count(1), count(2), count(3)]).toEqual([24, 10, 6])
    expect(count(5)).toBeGreaterThan(OPTIONS.days * 6)
    expect(count(7)).toBeGreaterThan(0)
    for (const days of [0, 1])
      expect(demoWorld({ ...OPTIONS, days, orders: 0 }, NOW).history.orders.filter(({ state }) => state < 5)).toEqual([])
  })

  it('obeys the rules of stock: each level is the sum of its movements in the order of time, and never below 0', () => {
    const levels = new Map<string, number>()
    let lastAt = 0
    for (const { at, product, location, type, quantity, previous, next } of world.history.movements) {
      const key = `${product} ${location}`
      expect(previous).toBe(levels.get(key) ?? 0)
      expect(next).toBe(previous + (type === 'OUT' ? -quantity : quantity))
      expect(next).toBeGreaterThanOrEqual(0)
      expect(at).toBeGreaterThanOrEqual(lastAt)
      expect(at).toBeLessThan(TODAY)
      levels.set(key, next)
      lastAt = at
    }
    expect(
      Object.fromEntries(world.history.levels.map((level) => [`${level.product} ${level.location}`, level.quantity])),
    ).toEqual(Object.fromEntries(levels))
  })

  it('has picked what its movements took, and everything of completed orders', () => {
    const { orders, flows, movements } = world.history
    for (const [index, order] of orders.entries()) {
      const picks = flows.filter((flow) => flow.order === index && flow.state !== 'cancelled').flatMap((flow) => flow.picks)
      for (const [line, { picked, quantity }] of order.lines.entries()) {
        const taken = picks.filter((pick) => pick.line === line).reduce((sum, pick) => sum + pick.quantity, 0)
        expect(taken).toBe(picked)
        if (order.state === 5) expect(picked).toBe(quantity)
      }
      for (const pick of picks)
        expect(movements[pick.movement]).toMatchObject({ order: index, type: 'OUT', quantity: pick.quantity, at: pick.at })
    }
    expect(flows.filter(({ state }) => state === 'cancelled').length).toBeGreaterThan(0)
    const taken = movements.filter(({ reason }) => reason === 'order_fulfillment').length
    expect(flows.flatMap(({ picks }) => picks)).toHaveLength(taken)
  })

  it('has valid barcodes of the range for own use', () => {
    const { products } = demoWorld({ ...OPTIONS, products: 5_000, days: 0, orders: 0 }, NOW)
    expect(new Set(products.map(({ barcode }) => barcode)).size).toBe(5_000)
    for (const { barcode } of products) {
      expect(barcode).toMatch(/^200\d{10}$/)
      const sum = barcode.split('').reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0)
      expect(sum % 10).toBe(0)
    }
    expect(products.some(({ weighable }) => weighable)).toBe(true)
  })

  it('has a place for every product, with docks and places for damaged goods', () => {
    const byId = new Map(world.locations.map((location) => [location.id, location]))
    expect(byId.size).toBe(world.locations.length)
    for (const product of world.products.keys())
      for (const warehouse of isInNorth(product) ? [0, 1] : [0])
        expect(byId.get(shelfOf(product, warehouse))).toMatchObject({
          warehouse,
          pickable: true,
          pick_sequence: expect.any(Number),
        })
    expect(world.locations.filter(({ pickable }) => !pickable).map(({ id, sellable }) => [id, sellable])).toEqual([
      ['DOCK', true],
      ['QUARANTINE', false],
      ['N-DOCK', true],
      ['N-QUARANTINE', false],
    ])
  })
})
