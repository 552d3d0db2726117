import { t } from '../../shared/texts/scan-texts.ts'
import { exact } from '../picking/quantity.ts'
import type { Level } from '../picking/stops.ts'
import type { Entry, FlowEntry, PickEntry, RecordEntry } from '../queue/entry.ts'
import type { QueueEvent } from '../queue/reduce.ts'
import type { LogRow } from '../store/database.ts'
import type { App } from './app.ts'
import { online } from './calls.ts'
import { refreshFlow } from './flows.ts'
import { newPickId } from './picking-actions.ts'

/** Sends a refused entry again. */
export const sendAgain = (app: App, { seq }: Entry): Promise<void> => resolve(app, { type: 'again', seq }, t.problems.again)

/** The operator has put back what a refused entry took: the entry is dropped and logged, and the line is open again. */
export async function putBack(app: App, entry: FlowEntry): Promise<void> {
  if (await drop(app, entry, 'put back', t.problems.putBack)) void refreshFlow(app, entry.flow_id)
}

/** The operator gives up a receipt, its undo, or a count: the entry is dropped and logged. `said` is what they hear of it. */
export const giveUp = (app: App, entry: RecordEntry, said: string): Promise<boolean> => drop(app, entry, 'dropped', said)

/** Takes the same quantity from another location. */
export const takeElsewhere = (app: App, { seq }: PickEntry, { location_id, location_code }: Level): Promise<void> =>
  resolve(app, { type: 'elsewhere', seq, pick_id: newPickId(), location_id, location_code }, location_code)

/**
 * Corrects the stock of a location by a count, and sends the pick again. What this device took there, and the server does not know yet, is
 * part of the stock that the server counts.
 */
export async function countAgain(app: App, entry: PickEntry, counted: number): Promise<void> {
  const { body, flow_id } = entry
  const product = app.kept.flows.get(flow_id)?.flow.lines.find(({ order_detail_id }) => order_detail_id === body.order_detail_id)
  if (product === undefined) return
  const isSaved = await online(app, () =>
    app.sender.between(async () => {
      const quantity = exact(counted + takenAt(app, product.product_id, body.location_id))
      await app.api.client.stock.setLevel(product.product_id, {
        location_id: body.location_id,
        quantity,
        reason: 'inventory_count',
      })
      return true
    }),
  )
  if (isSaved === true) await resolve(app, { type: 'again as new', seq: entry.seq, pick_id: newPickId() }, t.said.counted)
}

/** What waits or was refused of a product at a location. */
function takenAt({ kept }: App, productId: number, locationId: string): number {
  return kept.entries
    .filter((entry): entry is PickEntry => entry.kind === 'pick' && entry.body.location_id === locationId)
    .filter(({ flow_id, body }) => {
      const lines = kept.flows.get(flow_id)?.flow.lines
      return lines?.find(({ order_detail_id }) => order_detail_id === body.order_detail_id)?.product_id === productId
    })
    .reduce((sum, { body }) => sum + body.quantity, 0)
}

async function drop(app: App, entry: Entry, what: LogRow['what'], said: string): Promise<boolean> {
  const at = performance.now()
  const log = [{ at: new Date().toISOString(), what, entry }]
  const isDropped = await app.keep(() => ({ events: [{ type: 'put back', seq: entry.seq }], log }), at)
  if (isDropped) app.tell('taken', said, at)
  return isDropped
}

async function resolve(app: App, event: QueueEvent, text: string): Promise<void> {
  const at = performance.now()
  if (await app.keep(() => ({ events: [event] }), at)) app.tell('taken', text, at)
}
