import { newNumber, type Batch, type ClientState, type Order } from '../client-state.ts'
import { openOf } from '../../model/reservations/model.ts'
import { numbered, ok, operation, refused, type Operation } from '../operation.ts'
import type { Random } from '../random.ts'
import { totalsOf } from './flow-rules.ts'
import { anyOrder } from './orders.ts'
import { cancelFlow, canStart, completeFlow, startFlow } from './picking.ts'

/** Batches of given orders: section 11 of the extensions. Which orders a `rule` chooses, and stops, are not covered. */

const any = (client: ClientState, random: Random): Batch | undefined => random.one(client.batches.slice(-6))

const stateOf = ({ flows }: Batch): 'started' | 'completed' | 'cancelled' =>
  flows.some(({ state }) => state === 'started')
    ? 'started'
    : flows.every(({ state }) => state === 'cancelled')
      ? 'cancelled'
      : 'completed'

export const shownBatch = (batch: Batch): object => ({
  id: batch.id,
  reference: batch.reference,
  state: stateOf(batch),
  slots: batch.flows.map((flow, index) => ({
    slot: index + 1,
    flow_id: flow.id,
    order_id: flow.order.id,
    state: flow.state,
    items_picked: totalsOf(flow).items_picked,
  })),
})

const request = (client: ClientState, n: number, method: 'GET' | 'POST', rest = '') => {
  const batch = numbered(client.batches, n)
  return batch && { method, path: `/flow-batches/${batch.id}${rest}` }
}

const isOpen = (order: Order): boolean => order.book.lines.some((line) => openOf(line) > 0)

export const BATCHES: Operation[] = [
  operation<{ n: number; orders: number[] }>({
    id: 'flowBatches.create',
    weight: 1,
    makesRecord: true,
    draw(client, random) {
      const isReady = (order: Order): boolean =>
        isOpen(order) && canStart(client, order) && order.lines.every(({ id }) => id !== 0)
      const orders = random.some(client.orders.filter(isReady), random.int(1, 3))
      const other = random.chance(0.1) ? anyOrder(client, random, (order) => order.lines.every(({ id }) => id !== 0)) : undefined
      const all = [...new Set([...orders, ...(other === undefined ? [] : [other])])]
      return all.length === 0 ? undefined : { n: newNumber(client), orders: all.map(({ n }) => n) }
    },
    request(client, { n, orders }) {
      const known = orders.map((order) => numbered(client.orders, order))
      if (known.includes(undefined)) return undefined
      const body = {
        order_ids: known.map((order) => order?.id),
        operator_email: `${client.name}@example.com`,
        reference: `${client.name}-batch${n}`,
      }
      return { method: 'POST', path: '/flow-batches', body }
    },
    expect(client, { n, orders: numbers }, data) {
      const orders = numbers.map((order) => numbered(client.orders, order) as Order)
      const codes = [
        ...(orders.some((order) => !canStart(client, order)) ? ['flow_error'] : []),
        ...(new Set(orders.map(({ book }) => book.warehouse)).size > 1 ? ['validation_error'] : []),
      ]
      if (codes.length > 0) return refused(...codes)
      const batch: Batch = { n, id: data.id, reference: `${client.name}-batch${n}`, flows: [] }
      for (const [index, order] of orders.entries()) {
        const flow = startFlow(client, n + (index + 1) / 100, order, data.slots?.[index]?.flow_id, `${client.name}@example.com`)
        batch.flows.push(flow)
        flow.batch = batch
        flow.slot = index + 1
      }
      client.batches.push(batch)
      return ok(shownBatch(batch))
    },
  }),

  ...(['complete', 'cancel'] as const).map((verb) =>
    operation<{ batch: number }>({
      id: `flowBatches.${verb}`,
      weight: 0.6,
      draw(client, random) {
        const batch = any(client, random)
        return batch && { batch: batch.n }
      },
      request: (client, { batch }) => request(client, batch, 'POST', `/${verb}`),
      expect(client, input) {
        const batch = numbered(client.batches, input.batch) as Batch
        const wrong = verb === 'complete' ? 'cancelled' : 'completed'
        if (stateOf(batch) === wrong) return refused('flow_error')
        for (const flow of batch.flows.filter(({ state }) => state === 'started'))
          if (verb === 'complete') completeFlow(client, flow)
          else cancelFlow(client, flow)
        return ok(shownBatch(batch))
      },
    }),
  ),

  operation<{ batch: number }>({
    id: 'flowBatches.get',
    weight: 0.6,
    draw(client, random) {
      const batch = any(client, random)
      return batch && { batch: batch.n }
    },
    request: (client, { batch }) => request(client, batch, 'GET'),
    expect: (client, { batch }) => ok(shownBatch(numbered(client.batches, batch) as Batch)),
  }),

  operation<{ batch: number }>({
    id: 'flowBatches.list',
    weight: 0.3,
    draw(client, random) {
      const batch = any(client, random)
      return batch && { batch: batch.n }
    },
    request(client, { batch }) {
      const known = numbered(client.batches, batch)
      return known && { method: 'GET', path: `/flow-batches?reference=${known.reference}` }
    },
    expect: (client, { batch }) =>
      ok({ flow_batches: [shownBatch(numbered(client.batches, batch) as Batch)], pagination: { total: 1 } }),
  }),
]
