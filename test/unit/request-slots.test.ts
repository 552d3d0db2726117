import { describe, expect, it } from 'vitest'
import { RequestSlots } from '@fulfillment/server/delivery/request-slots.ts'

/** Lets tenants take slots one by one, in turn, until none gets more. */
function takeAll(slots: RequestSlots, tenants: readonly number[]): number[] {
  const taken = tenants.map(() => 0)
  for (let given = 1; given > 0;) {
    given = 0
    for (const [index, tenant] of tenants.entries()) {
      const one = slots.take(tenant, 1, true)
      taken[index] = (taken[index] ?? 0) + one
      given += one
    }
  }
  return taken
}

describe('slots for requests', () => {
  it.each([
    [1, 256],
    [2, 170],
    [3, 128],
    [15, 32],
  ])('are given to %i tenants that want all: about %i each', (count, each) => {
    const tenants = Array.from({ length: count }, (_, index) => index + 1)
    for (const taken of takeAll(new RequestSlots([]), tenants)) expect(Math.abs(taken - each)).toBeLessThanOrEqual(1)
  })

  it('are kept free for a tenant that has nothing in flight, however many others there are', () => {
    const slots = new RequestSlots(Array.from({ length: 511 }, (_, index) => ({ tenantId: index + 1, requests: 1 })))
    expect(slots.take(1, 10, true)).toBe(0)
    expect(slots.take(1_000, 10, true)).toBe(1)
    expect(slots.take(1_001, 10, true)).toBe(0)
    expect(slots.free).toBe(0)
  })

  it("are kept free within a tenant's share for its lanes that have nothing in flight", () => {
    const slots = new RequestSlots([{ tenantId: 1, requests: 190 }])
    expect(slots.take(1, 10, false)).toBe(2)
    expect(slots.take(1, 10, false)).toBe(0)
    expect(slots.take(1, 10, true)).toBe(1)
    expect(slots.fullTenants).toEqual([])
  })

  it('are all taken for a tenant that has its share', () => {
    const slots = new RequestSlots([{ tenantId: 7, requests: 256 }])
    expect(slots.fullTenants).toEqual([7])
    expect(slots.take(7, 1, true)).toBe(0)
    expect(slots.take(8, 500, true)).toBe(96)
  })
})
