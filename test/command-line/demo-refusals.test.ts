import { expect } from 'vitest'
import { FulfillmentClient } from '@fulfillment/server/command-line/sdk.ts'
import { carry } from '@fulfillment/server/demo/live/carrier.ts'
import { type LiveOptions, sendOrders } from '@fulfillment/server/demo/live/customers.ts'
import { workDock } from '@fulfillment/server/demo/live/dock.ts'
import { Journal } from '@fulfillment/server/demo/live/journal.ts'
import { LiveOperator } from '@fulfillment/server/demo/live/operator.ts'
import { Pace } from '@fulfillment/server/demo/live/pace.ts'
import { sendBack } from '@fulfillment/server/demo/live/send-back.ts'
import { supply } from '@fulfillment/server/demo/live/supplier.ts'
import { today } from '@fulfillment/server/demo/live/today.ts'
import { orderWith, startBatch } from '../support/batches.ts'
import { it } from '../support/it.ts'
import { OPERATOR, stockedProduct } from '../support/picking.ts'
import { announce, INBOUND } from '../support/receiving.ts'
import type { TestTenant } from '../support/service.ts'
import { completedOrder, transition, pack, packageOf } from '../support/shipments.ts'

type Act = () => Promise<unknown>

const ADA = { name: 'Ada', email: OPERATOR.operator_email, id: OPERATOR.operator_id }
const nothing: Act = async () => {}

/** At each wait the user does something instead. The demo is over when they have done everything. */
class PaceOfUser extends Pace {
  readonly #acts: Act[]
  readonly #over: AbortController

  constructor(acts: readonly Act[], over: AbortController) {
    super(60, over.signal)
    this.#acts = [...acts]
    this.#over = over
  }

  override async wait(): Promise<void> {
    const act = this.#acts.shift()
    if (act === undefined) this.#over.abort()
    else await act()
  }
}

/** Plays a part of the demo, with a user who acts at its waits, and after the first response to a request. Returns what is told, without times. */
async function play(
  { url, key }: TestTenant,
  part: (options: LiveOptions) => Promise<void>,
  acts: readonly Act[],
  afterRequest?: { path: string; act: Act },
): Promise<string[]> {
  const told: string[] = []
  let hasActed = false
  const client = new FulfillmentClient({
    baseUrl: url,
    apiKey: key,
    fetch: async (requested, init) => {
      const response = await fetch(requested, init)
      if (afterRequest !== undefined && !hasActed && requested.includes(afterRequest.path)) {
        hasActed = true
        await afterRequest.act()
      }
      return response
    },
  })
  const journal = new Journal((line) => told.push(line.slice('hh:mm:ss  '.length)))
  await part({ client, seed: 1, journal, pace: new PaceOfUser(acts, new AbortController()) })
  return told
}

it('customers go on when a product was deleted', async ({ tenant }) => {
  const { id } = await stockedProduct(tenant, { A: 5 })
  const told = await play(tenant, sendOrders, [() => tenant.request('DELETE', `/products/${id}`), nothing])
  expect(told).toEqual([
    expect.stringMatching(/ orders D1-00001: 1 line$/),
    expect.stringMatching(/^D1-00002 of .+ is refused: /),
    expect.stringMatching(/^D1-00003 of .+ is refused: /),
  ])
})

it('the carrier goes on when a shipment was cancelled', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, { A: 5 })
  const packed = async (reference: string) => {
    const order = await completedOrder(tenant, [[tea, 1]])
    return await pack(tenant, order, [packageOf({ order_detail_id: order.lines[0] }, 1)], { reference })
  }
  const [underWay] = [await packed('first'), await packed('second')]
  await transition(tenant, underWay, 'ship')
  const told = await play(tenant, carry, [nothing], {
    path: 'state=open',
    act: () => transition(tenant, underWay, 'cancel', { reason: 'lost' }),
  })
  expect(told).toEqual(['The carrier is refused: The shipment is cancelled and cannot be delivered', 'The carrier takes second'])
})

it('the dock goes on when what was received is gone before it is put away', async ({ tenant }) => {
  const { id } = await stockedProduct(tenant, { 'A-01': 1 })
  await announce(INBOUND, tenant, [{ product_id: id, quantity: 9 }], { reference: 'PO-1' })
  const emptyDock: Act = () => tenant.request('PUT', `/stock/product/${id}`, { location_id: 'DOCK', quantity: 0 })
  const told = await play(tenant, (options) => workDock(options, ADA), [nothing, emptyDock, nothing])
  expect(told).toEqual([
    expect.stringMatching(/^Ada receives /),
    expect.stringMatching(/^Ada is refused: /),
    expect.stringMatching(/^Ada (receives|closes) /),
  ])
})

it('the supplier goes on when their delivery has the reference of another one', async ({ tenant }) => {
  const { id } = await stockedProduct(tenant, { A: 1 }, { minimum_threshold: 5 })
  const told = await play(tenant, supply, [nothing], {
    path: '/inbound?limit=1',
    act: () => announce(INBOUND, tenant, [{ product_id: id, quantity: 1 }], { reference: `PO-${today()}-1` }),
  })
  expect(told).toEqual([expect.stringMatching(/^The supplier is refused: /)])
})

it('customers go on when their return has the reference of another one', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, { A: 5 })
  const order = await completedOrder(tenant, [[tea, 1]])
  const shipment = await pack(tenant, order, [packageOf({ order_detail_id: order.lines[0] }, 1)])
  for (const call of ['ship', 'deliver']) await transition(tenant, shipment, call)
  const told = await play(tenant, sendBack, [nothing], {
    path: '/returns?limit=1',
    act: () => tenant.request('POST', '/returns', { reference: 'RMA-00001', lines: [{ product_id: tea.id, quantity: 1 }] }),
  })
  expect(told).toEqual([expect.stringMatching(/^A return is refused: /)])
})

it('an operator goes on when the only order of their walk was cancelled', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, { A: 5 })
  const order = await orderWith(tenant, [[tea, 1]])
  await startBatch(tenant, { order_ids: [order.id] })
  const cancel: Act = () => tenant.request('POST', `/orders/${order.id}/cancel`, { reason: 'changed their mind' })
  const shared = { met: new Set<string>(), resting: new Map<string, number>() }
  const told = await play(tenant, (options) => new LiveOperator(options, ADA, shared).work(), [cancel, nothing])
  expect(told).toEqual([expect.stringMatching(/^Ada leaves slot 1: /), expect.stringMatching(/^Ada is refused: /)])
})
