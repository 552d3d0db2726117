import { expect, it } from 'vitest'
import { WITHOUT_ORDER } from '@fulfillment/server/domain/events/record-events.ts'
import { topicsOf } from '@fulfillment/server/procedures/slice.ts'
import { SLICES } from '@fulfillment/server/slices.ts'

it("events that are not looked at for an order's id have none", () => {
  const topics = topicsOf(SLICES)
  for (const start of WITHOUT_ORDER) {
    const found = topics.filter(({ name }) => name.startsWith(start))
    expect(found.length).toBeGreaterThan(2)
    for (const { name, data } of found)
      expect([name, Object.keys(data.shape)]).toEqual([name, expect.not.arrayContaining(['order_id'])])
  }
})
