import type { PickingFlowDetails } from '@fulfillment/sdk'
import { t } from '../../shared/texts/scan-texts.ts'
import { eachProduct } from '../data/each-product.ts'
import { complete } from '../picking/decide.ts'
import { draftedPick, flowChanges } from '../queue/flow-changes.ts'
import type { Changes, Kept } from '../store/store.ts'
import { batchOf, type WalkKey, walkKeyOf } from '../picking/walk.ts'
import type { App } from './app.ts'
import { online } from './calls.ts'
import { decide, keptWalk, productOf } from './picking-actions.ts'
import { isRetriedLater } from './retried-later.ts'
import { readWeightPatterns } from './weights.ts'

/** Stores flows that the server has, all or none. */
export async function keepFlows(app: App, flows: readonly PickingFlowDetails[], at = performance.now()): Promise<boolean> {
  const isKept = await app.keep((kept) => {
    const rows = flows.map((flow) => [flow.id, { flow, products: kept.flows.get(flow.id)?.products ?? {} }] as const)
    return { flows: new Map(rows), events: flows.map((flow) => ({ type: 'returned', flow })) }
  }, at)
  if (!isKept) return false
  for (const key of new Set(flows.map(walkKeyOf))) void readProducts(app, key)
  void readWeightPatterns(app)
  return true
}

/**
 * Reads a flow again, between two entries of the queue. One that is over or another operator's leaves the device. In a batch, not while it is
 * unknown what became of an entry: the stock that is read counts it for all slots.
 */
export async function refreshFlow(app: App, flowId: number): Promise<void> {
  const row = app.kept.flows.get(flowId)
  if (row === undefined) return
  const isInDoubt = (): boolean => app.kept.entries.some(({ state, attempts }) => state === 'waiting' && attempts > 0)
  try {
    await app.sender.between(async () => {
      if (row.flow.batch_id !== undefined && isInDoubt()) return
      const flow = await app.api.readFlow(flowId, 0)
      await app.store.commit((kept) => flowChanges(kept, flowId, { is: 'read', flow }))
    })
  } catch (error) {
    if (!isRetriedLater(error)) throw error
  }
}

/** Reads again the flows with a pick that is not confirmed: of one that is over it is a problem, also if its operator has left the device. */
export async function refreshDrafted(app: App): Promise<void> {
  for (const { flow } of app.kept.flows.values()) if (draftedPick(app.kept, flow) !== undefined) await refreshFlow(app, flow.id)
}

/** Queues the end of a walk. */
export async function completeWalk(app: App, key: WalkKey): Promise<void> {
  // What could not be stored is not over.
  if ((await decide(app, key, complete)) && app.ui.problem === undefined) app.go({ name: 'queue' })
}

/** Cancels an order's or a batch's picking: all of it goes back to its locations, also what waits in the queue. */
export async function cancelWalk(app: App, key: WalkKey): Promise<void> {
  const at = performance.now()
  const batch = batchOf(key)
  const begun = app.begin()
  const isCancelled = await online(app, () =>
    app.sender.between(async () => {
      await (batch === undefined ? app.api.client.flows.cancel(key) : app.api.client.flowBatches.cancel(batch))
      // If it can't be stored, the operator knows by now, and can cancel again.
      return await app.keep((kept) => cancelled(kept, key), at)
    }),
  )
  if (isCancelled === true) {
    app.goOn(begun, { name: 'queue' })
    app.tell('taken', t.finish.putBack, at)
  }
}

function cancelled(kept: Kept, key: WalkKey): Changes {
  const ids = keptWalk(kept, key)?.flows.map(({ id }) => id) ?? []
  return {
    events: ids.map((flow_id) => ({ type: 'cancelled', flow_id })),
    flows: new Map(ids.map((id) => [id, null])),
    drafts: new Map([[key, null]]),
    log: kept.entries
      .filter(({ flow_id }) => flow_id !== null && ids.includes(flow_id))
      .map((entry) => ({ at: new Date().toISOString(), what: 'cancelled' as const, entry })),
  }
}

/** Photos, and which products have decimals. Without them a walk can be picked all the same. */
async function readProducts(app: App, key: WalkKey): Promise<void> {
  const walk = keptWalk(app.kept, key)
  if (walk === undefined) return
  const flows = new Map(
    walk.flows.toReversed().flatMap(({ id, lines }) => lines.map(({ product_id }) => [product_id, id] as const)),
  )
  const unread = [...flows.keys()].filter((product) => productOf(app.kept, walk, product) === undefined)
  try {
    for await (const { id, photo_url, weighable } of eachProduct(app.api.client, unread)) {
      const flowId = flows.get(id) ?? 0
      if (!app.kept.flows.has(flowId)) return
      await app.store.commit(({ flows }) => {
        const row = flows.get(flowId)
        if (row === undefined) return undefined
        return { flows: new Map([[flowId, { ...row, products: { ...row.products, [id]: { photo_url, weighable } } }]]) }
      }, 'relaxed')
    }
  } catch (error) {
    if (!isRetriedLater(error)) throw error
  }
}
