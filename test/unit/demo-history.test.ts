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

  it('has a batch that is being picked on every day, also with few open orders', () => {
    const options = { seed: 7, products: 30, days: 1, orders: 20 }
    for (let day = 0; day < 60; day++) {
      const { batches, flows } = demoWorld(options, NOW + day * 86_400_000).history
      const walk = flows.filter(({ batch, state }) => batch === batches.length - 1 && state === 'started')
      expect([day, walk.length]).toEqual([day, 3])
    }
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

  it('has counted a level as it was, and posted the difference; one count is under way', () => {
    const { counts, movements, levels } = world.history
    const posted = counts.filter(({ approvedAt }) => approvedAt !== undefined)
    expect(posted.length).toBeGreaterThan(OPTIONS.days / 2)
    expect(new Set(counts.map(({ name }) => name)).size).toBe(counts.length)
    for (const { lines, locations, products, createdAt, approvedAt } of posted)
      for (const { product, location, counted, movement } of lines) {
        expect([locations, products]).toEqual([expect.arrayContaining([location]), expect.arrayContaining([product])])
        const { quantity = 0, expected = 0, at = 0 } = counted ?? {}
        expect(movements[movement ?? -1]).toMatchObject({
          product,
          location,
          type: 'ADJUSTMENT',
          reason: 'inventory_count',
          previous: expected,
          next: quantity,
          at: approvedAt,
        })
        expect(at).toBeGreaterThan(createdAt)
        expect(at).toBeLessThan(approvedAt ?? 0)
      }
    const adjustments = movements.filter(({ type }) => type === 'ADJUSTMENT').length
    expect(posted.flatMap(({ lines }) => lines)).toHaveLength(adjustments)
    expect(posted.some(({ lines }) => lines.some(({ counted }) => counted?.quantity !== counted?.expected))).toBe(true)

    const open = counts.find(({ approvedAt }) => approvedAt === undefined)
    expect(open?.movementsBefore).toBe(movements.length)
    const there = levels.filter(({ location, quantity }) => location === open?.locations[0] && quantity > 0)
    expect(open?.lines.map(({ product }) => product).toSorted()).toEqual(there.map(({ product }) => product).toSorted())
    expect(open?.createdAt).toBeLessThan(TODAY)
  })

  it('has picked several orders in one walk, by one operator, each in its slot; one walk is under way', () => {
    const { batches, flows, orders } = world.history
    expect(batches.length).toBeGreaterThan(OPTIONS.days / 3)
    for (const [index, { warehouse, operator, createdAt }] of batches.entries()) {
      const walked = flows.filter(({ batch }) => batch === index)
      expect(walked.map(({ slot }) => slot)).toEqual(walked.map((_, position) => position + 1))
      expect(walked.length).toBeGreaterThan(1)
      for (const flow of walked) {
        expect(flow).toMatchObject({ operator, startedAt: createdAt })
        expect(orders[flow.order]).toMatchObject({ warehouse })
      }
    }
    expect(flows.filter(({ batch, state }) => batch === batches.length - 1 && state === 'started')).toHaveLength(3)
    for (const [index, { order, startedAt }] of flows.entries()) {
      expect(startedAt).toBeGreaterThanOrEqual(flows[index - 1]?.startedAt ?? 0)
      expect(startedAt).toBeGreaterThan(orders[order]?.createdAt ?? Infinity)
    }
  })

  it('has packed what completed flows took, never more, and sent it', () => {
    const { shipments, flows, orders } = world.history
    const packed = new Map<string, number>()
    for (const { order, packages, createdAt, shippedAt = Infinity, deliveredAt = Infinity } of shipments) {
      const ended = flows.filter((flow) => flow.order === order && flow.state === 'completed').map(({ endedAt = 0 }) => endedAt)
      expect(createdAt).toBeGreaterThan(Math.min(...ended))
      expect(shippedAt).toBeGreaterThan(createdAt)
      expect([createdAt < TODAY, shippedAt < TODAY || shippedAt === Infinity]).toEqual([true, true])
      expect(deliveredAt === Infinity || (deliveredAt > shippedAt && deliveredAt < TODAY)).toBe(true)
      for (const { line, quantity } of packages.flatMap(({ lines }) => lines))
        packed.set(`${order} ${line}`, (packed.get(`${order} ${line}`) ?? 0) + quantity)
    }
    const completed = orders.flatMap(({ state, lines }, order) =>
      state === 5 ? lines.map(({ quantity }, line) => [`${order} ${line}`, quantity] as const) : [],
    )
    expect(packed).toEqual(new Map(completed))
    expect(new Set(shipments.map(({ name }) => name)).size).toBe(shipments.length)
    const inState = (state: (shipment: (typeof shipments)[number]) => boolean) => shipments.filter(state).length
    expect(inState(({ shippedAt }) => shippedAt === undefined)).toBeGreaterThan(0)
    expect(inState(({ shippedAt, deliveredAt }) => shippedAt !== undefined && deliveredAt === undefined)).toBeGreaterThan(0)
    expect(inState(({ packages }) => packages.length > 1)).toBeGreaterThan(0)
    expect(shipments.map(({ createdAt }) => createdAt)).toEqual(
      shipments.map(({ createdAt }) => createdAt).toSorted((a, b) => a - b),
    )
  })

  it('has taken back no more than was sent, after it had arrived', () => {
    const { returns, shipments, orders, movements } = world.history
    expect(returns.length).toBeGreaterThan(OPTIONS.days / 4)
    expect(new Set(returns.map(({ order }) => order)).size).toBe(returns.length)
    for (const { order, lines, createdAt, expectedDay, closedAt } of returns) {
      for (const sent of shipments.filter((shipment) => shipment.order === order))
        expect(sent.deliveredAt).toBeLessThan(createdAt)
      for (const { product, quantity, received } of lines) {
        expect(quantity).toBeGreaterThan(0)
        expect(quantity).toBeLessThanOrEqual(orders[order]?.lines.find((line) => line.product === product)?.picked ?? 0)
        expect(received !== undefined).toBe(expectedDay * 86_400_000 < TODAY)
        if (received === undefined || received.disposition === 'scrap') expect(received?.movement).toBeUndefined()
        else {
          const { at, location, disposition, movement = -1 } = received
          expect(movements[movement]).toMatchObject({ at, product, location, order, quantity, type: 'IN', reason: 'return' })
          expect(world.locations.find(({ id }) => id === location)?.sellable).toBe(disposition === 'restock')
        }
      }
      expect((closedAt ?? Infinity) < TODAY).toBe((expectedDay + 1) * 86_400_000 < TODAY)
    }
    const dispositions = new Set(returns.flatMap(({ lines }) => lines.map(({ received }) => received?.disposition)))
    expect(dispositions).toEqual(new Set(['restock', 'quarantine', 'scrap', undefined]))
  })

  it('expects a delivery of what is scarce', () => {
    const [delivery, ...others] = world.history.deliveries
    expect(others).toEqual([])
    expect(delivery?.lines).toHaveLength(6)
    expect((delivery?.expectedDay ?? 0) * 86_400_000).toBeGreaterThan(TODAY)
    for (const { quantity } of delivery?.lines ?? []) expect(quantity).toBeGreaterThan(0)
    expect(demoWorld({ seed: 1, products: 1, days: 0, orders: 0 }, NOW).history.deliveries).toMatchObject([
      { lines: [{ product: 0 }] },
    ])
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
