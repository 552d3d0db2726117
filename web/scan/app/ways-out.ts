import { randomId } from '../../shared/random-id.ts'
import { t } from '../../shared/texts/scan-texts.ts'
import type { Level } from '../picking/stops.ts'
import type { Entry, FlowEntry, PickEntry } from '../queue/entry.ts'
import type { QueueEvent } from '../queue/reduce.ts'
import type { LogRow } from '../store/database.ts'
import type { App } from './app.ts'
import { online } from './calls.ts'
import { productIdOf, setCounted } from './count-stock.ts'
import { refreshFlow } from './flows.ts'

/** Sends a refused entry again. */
export const sendAgain = (app: App, { seq }: Entry): Promise<void> => resolve(app, { type: 'again', seq }, t.problems.again)

/** The operator has put back what a refused entry took: the entry is dropped and logged, and the line is open again. */
export async function putBack(app: App, entry: FlowEntry): Promise<void> {
  if (await drop(app, entry, 'put back', t.problems.putBack)) void refreshFlow(app, entry.flow_id)
}

/** The operator gives up a receipt, its undo, a count, or goods that go with their order: it is dropped and logged. `said` is what they hear. */
export const giveUp = (app: App, entry: Entry, said: string): Promise<boolean> => drop(app, entry, 'dropped', said)

/** Takes the same quantity from another location. */
export const takeElsewhere = (app: App, { seq }: PickEntry, { location_id, location_code }: Level): Promise<void> =>
  resolve(app, { type: 'elsewhere', seq, pick_id: randomId(), location_id, location_code }, location_code)

/** Corrects the stock of a location by a count, and sends the pick again. */
export async function countAgain(app: App, { seq, flow_id, body, about }: PickEntry, quantity: number): Promise<void> {
  const { order_tenant_id, location_code } = about
  const isSaved = await online(app, async () => {
    const product_id = await productIdOf(app, flow_id, body)
    if (product_id !== undefined)
      return await setCounted(app, { product_id, location_id: body.location_id, location_code, quantity })
    app.stop({ message: t.problem.lineGone(order_tenant_id, location_code) }, performance.now())
    return false
  })
  if (isSaved === true) await resolve(app, { type: 'again as new', seq, pick_id: randomId() }, t.said.counted)
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
