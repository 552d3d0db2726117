import { FulfillmentError, type PickingFlowDetails } from '@fulfillment/sdk'
import { t } from '../../shared/texts/scan-texts.ts'
import { complete } from '../picking/decide.ts'
import { flowChanges } from '../queue/flow-changes.ts'
import { TakenOverError } from '../store/store.ts'
import type { App } from './app.ts'
import { online } from './calls.ts'
import { decide } from './picking-actions.ts'

/** Starts picking an order, and shows it when it is stored here. */
export async function startFlow(app: App, orderId: number, at = performance.now()): Promise<void> {
  const { session } = app.kept
  const operator = session?.operator
  if (operator === null || operator === undefined) return
  const flow = await online(app, async () => {
    const input = { order_id: orderId, operator_email: operator.email, operator_id: operator.id }
    const { id } = await app.api.client.flows.start(input)
    return await app.api.readFlow(id, operator.id)
  })
  if (flow !== undefined && (await keepFlow(app, flow, at))) {
    app.go({ name: 'pick', flow: flow.id })
    app.tell('taken', t.said.started(flow.order_tenant_id), at)
  }
}

/** Stores a flow that the server has, so that it can be picked without a connection. */
export async function keepFlow(app: App, flow: PickingFlowDetails, at = performance.now()): Promise<boolean> {
  const isKept = await app.keep(({ flows }) => {
    const products = flows.get(flow.id)?.products ?? {}
    return { flows: new Map([[flow.id, { flow, products }]]) }
  }, at)
  if (isKept) void readProducts(app, flow.id)
  return isKept
}

/** Reads a flow again, between two entries of the queue. One that is over or another operator's leaves the device. */
export async function refreshFlow(app: App, flowId: number): Promise<void> {
  const row = app.kept.flows.get(flowId)
  if (row === undefined) return
  try {
    await app.sender.between(async () => {
      const flow = await app.api.readFlow(flowId, 0)
      const isOwn = flow.state === 'started' && flow.operator_email.toLowerCase() === row.flow.operator_email.toLowerCase()
      await app.store.commit((kept) => flowChanges(kept, flowId, isOwn ? { is: 'read', flow } : { is: 'over' }))
    })
  } catch (error) {
    // It is read again later.
    if (!(error instanceof FulfillmentError || error instanceof TakenOverError)) throw error
  }
}

/** Queues the end of a flow. */
export async function completeFlow(app: App, flowId: number): Promise<void> {
  if (await decide(app, flowId, complete)) app.go({ name: 'queue' })
}

/** Cancels a flow: all of it goes back to its locations, also what waits in the queue. */
export async function cancelFlow(app: App, flowId: number): Promise<void> {
  const at = performance.now()
  const isCancelled = await online(app, () =>
    app.sender.between(async () => {
      await app.api.client.flows.cancel(flowId)
      await app.keep(
        (kept) => ({
          events: [{ type: 'cancelled', flow_id: flowId }],
          flows: new Map([[flowId, null]]),
          drafts: new Map([[flowId, null]]),
          log: kept.entries
            .filter(({ flow_id }) => flow_id === flowId)
            .map((entry) => ({ at: new Date().toISOString(), what: 'cancelled' as const, entry })),
        }),
        at,
      )
      return true
    }),
  )
  if (isCancelled === true) {
    app.go({ name: 'queue' })
    app.tell('taken', t.finish.putBack, at)
  }
}

/** Photos, and which products have decimals. Without them the flow can be picked all the same. */
async function readProducts(app: App, flowId: number): Promise<void> {
  const { flow, products } = app.kept.flows.get(flowId) ?? {}
  const ids = new Set(flow?.lines.map(({ product_id }) => product_id).filter((id) => products?.[id] === undefined))
  for (const id of ids) {
    const product = await Promise.resolve(app.api.client.products.get(id)).catch(() => undefined)
    if (product === undefined || !app.kept.flows.has(flowId)) return
    const { photo_url, weighable } = product
    await app.store.commit(({ flows }) => {
      const row = flows.get(flowId)
      if (row === undefined) return undefined
      return { flows: new Map([[flowId, { ...row, products: { ...row.products, [id]: { photo_url, weighable } } }]]) }
    }, 'relaxed')
  }
}
