import { exact } from '../../shared/exact.ts'
import { t } from '../../shared/texts/scan-texts.ts'
import type { Entry, PickBody } from '../queue/entry.ts'
import { isUnknownToServer } from '../queue/reduce.ts'
import type { App } from './app.ts'
import { Attempts } from './attempts.ts'
import { refreshDrafted } from './flows.ts'

/** A product at a location, and how much of it lies there: without what the operator holds. */
export interface Counted {
  product_id: number
  location_id: string
  location_code: string
  quantity: number
}

/**
 * Sets the stock of a location to what was counted there, with what this device took there and the server will subtract later. While it is not
 * known whether the server did so already, the operator is stopped. Returns whether the stock was set.
 */
export async function setCounted(app: App, counted: Counted, attempts = new Attempts()): Promise<boolean> {
  const { product_id, location_id, location_code } = counted
  const drafted = draftedAt(app, counted)
  await refreshDrafted(app)
  // Of a flow that is over: the operator decides on it in the Problems first.
  const isDraftGone = draftedAt(app, counted) !== drafted
  return await app.sender.between(async () => {
    const taken = isDraftGone ? undefined : await takenAt(app, counted)
    const quantity = exact(counted.quantity + (taken ?? 0))
    // Below zero, goods that were put there are counted, and the server does not know of them.
    if (taken === undefined || quantity < 0) {
      app.stop({ message: t.problem.unsentAt(location_code) }, performance.now())
      app.sender.retry()
      return false
    }
    const level = { location_id, quantity, reason: 'inventory_count' }
    await attempts.of(JSON.stringify([product_id, level]), (idempotencyKey) =>
      app.api.client.stock.setLevel(product_id, level, { idempotencyKey }),
    )
    return true
  })
}

/** The product of an entry of a flow. The flow may have left this device. Undefined if the order has the line no more. */
export async function productIdOf(app: App, flowId: number, body: PickBody): Promise<number | undefined> {
  const { lines } = app.kept.flows.get(flowId)?.flow ?? (await app.api.readFlow(flowId, 0))
  return lines.find(({ order_detail_id }) => order_detail_id === body.order_detail_id)?.product_id
}

type Level = Pick<Counted, 'product_id' | 'location_id'>

/**
 * What this device took of a product at a location, less what it put there, and the server does not know yet. Undefined if it may know some of
 * it.
 */
async function takenAt(app: App, level: Level): Promise<number | undefined> {
  let taken = draftedAt(app, level)
  for (const entry of app.kept.entries) {
    taken += returnedBy(entry, level)
    const quantity = takenBy(entry, level.location_id)
    if (quantity === 0 || (await productIdOfEntry(app, entry)) !== level.product_id) continue
    if (!isUnknownToServer(entry)) return undefined
    taken += quantity
  }
  return taken
}

/** What picks that are not confirmed yet hold. */
function draftedAt({ kept }: App, { product_id, location_id }: Level): number {
  const lines = [...kept.flows.values()].flatMap(({ flow }) => flow.lines)
  const isOfProduct = ({ order_detail_id }: PickBody): boolean =>
    lines.some((line) => line.order_detail_id === order_detail_id && line.product_id === product_id)
  return [...kept.drafts.values()]
    .map(({ pick }) => pick?.body)
    .filter((body) => body !== undefined)
    .filter((body) => body.location_id === location_id && isOfProduct(body))
    .reduce((sum, { quantity }) => sum + quantity, 0)
}

/** Goods in hand that the server has returned to the location, because their flow was cancelled. */
function returnedBy(entry: Entry, { product_id, location_id }: Level): number {
  if (entry.kind !== 'gone' || entry.error?.state !== 'cancelled') return 0
  const own = entry.goods.filter((goods) => goods.product_id === product_id && goods.location_id === location_id)
  return own.reduce((sum, { quantity }) => sum + quantity, 0)
}

function takenBy({ kind, record, body }: Entry, locationId: string): number {
  // Counts change no stock before they are approved.
  if (body?.location_id !== locationId || kind === 'count') return 0
  const isTaken = (kind === 'undo') === (record !== undefined)
  return isTaken ? body.quantity : -body.quantity
}

async function productIdOfEntry(app: App, entry: Entry): Promise<number | undefined> {
  if (entry.record !== undefined) return entry.body.product_id
  return entry.body === null ? undefined : await productIdOf(app, entry.flow_id, entry.body)
}
