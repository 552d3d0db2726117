import { texts } from '../../shared/texts/scan-batch-texts.ts'
import { t } from '../../shared/texts/scan-texts.ts'
import type { App } from '../app/app.ts'
import type { Attempts } from '../app/attempts.ts'
import { online } from '../app/calls.ts'
import { keepFlows } from '../app/flows.ts'
import { inSteps } from '../data/in-steps.ts'

/** As the server permits. */
export const MAX_SLOTS = 50

/** Which orders a batch takes. */
interface Wanted {
  slots: number
  isSingleLine: boolean
}

/** Starts a batch of the most urgent orders that are ready, and shows it when all of it is stored here. */
export async function startBatch(app: App, { slots, isSingleLine }: Wanted, attempts: Attempts): Promise<void> {
  const at = performance.now()
  const begun = app.begin()
  const operator = app.kept.session?.operator
  if (operator === null || operator === undefined) return
  const rule = { max_orders: slots, ...(isSingleLine ? { single_line: true } : {}) }
  const input = { rule, operator_email: operator.email, operator_id: operator.id }
  const batch = await online(app, () =>
    attempts.of(JSON.stringify(input), (idempotencyKey) => app.api.client.flowBatches.create(input, { idempotencyKey })),
  )
  if (batch === undefined) return
  const flows = await online(app, () => inSteps(batch.slots, ({ flow_id }) => app.api.readFlow(flow_id, operator.id)))
  // The batch runs, and comes to this device as soon as its orders can be read.
  if (flows === undefined || !(await keepFlows(app, flows, at))) return
  if (app.goOn(begun, { name: 'batch', record: batch.id }))
    app.tell('taken', texts.started(t.pick.batch(batch.id), flows.length), at)
}
