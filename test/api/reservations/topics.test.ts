import { expect } from 'vitest'
import { it } from '../../support/shared-service.ts'
import { failure, newOrder } from '../../support/orders.ts'
import { stockedProduct } from '../../support/picking.ts'
import { reserve } from '../../support/reservations.ts'

it('reservation/updated is sent to who asks for it by name, and not to *', async ({ tenant, startReceiver }) => {
  const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
  const [all, both, named] = receivers
  for (const [receiver, events] of [
    [all, ['*']],
    [both, ['*', 'reservation/updated']],
    [named, ['reservation/updated']],
  ] as const)
    expect((await tenant.request('POST', '/webhooks', { name: 'r', url: receiver?.url, events })).body.data.events).toEqual(
      events,
    )
  await reserve(tenant, 'track')
  const tea = await stockedProduct(tenant, { A: 0 })
  const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 1 }] })
  await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A', quantity: 1 })
  const topics = ['product/created', 'stock/movement_created', 'order/created', 'stock/movement_created', 'stock/updated']
  const received = async (index: number, count: number) =>
    (await receivers[index]?.count(count))?.map(({ event }) => event.event).toSorted()
  expect(await received(2, 2)).toEqual(['reservation/updated', 'reservation/updated'])
  expect(await received(1, 7)).toEqual([...topics, 'reservation/updated', 'reservation/updated'].toSorted())
  expect(await received(0, 5)).toEqual(topics.toSorted())
  const feed = async (query: string) =>
    (await tenant.request('GET', `/events${query}`)).body.data.events.map(({ event }: { event: string }) => event)
  expect(await feed('')).toEqual(topics)
  expect(await feed('?event=*&order=desc')).toEqual(topics.toReversed())
  expect(await feed('?event=*&event=reservation/updated')).toEqual([
    ...topics.slice(0, 3),
    'reservation/updated',
    ...topics.slice(3),
    'reservation/updated',
  ])
  expect(await feed('?event=reservation/updated&event=order/created')).toEqual([
    'order/created',
    'reservation/updated',
    'reservation/updated',
  ])
  expect(await feed('?event=reservation/updated&event=order/created&since=2020-01-01&order=desc')).toEqual([
    'reservation/updated',
    'reservation/updated',
    'order/created',
  ])
  const events = (await tenant.request('GET', '/events?event=reservation/updated')).body.data.events
  expect((await tenant.request('GET', `/events/${events[0].id}`)).body.data).toMatchObject({ data: { order_id: order.id } })
})

it.for([['*', 'order/created'], ['reservation/lost'], ['*', 'reservation/updated', 'stock/updated']])(
  'a subscription for %j is refused',
  async (events, { tenant, receiver }) => {
    const response = await tenant.request('POST', '/webhooks', { name: 'r', url: receiver.url, events })
    expect(failure(response)).toEqual([400, 'validation_error'])
  },
)
