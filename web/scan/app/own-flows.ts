import { inSteps } from '../data/in-steps.ts'
import { isCompleting } from '../picking/view.ts'
import { batchOf, isOf, type Walk, type WalkKey, walkKeyOf, walkOf } from '../picking/walk.ts'
import type { App } from './app.ts'
import { keepFlows, refreshDrafted, refreshFlow } from './flows.ts'

/** Running flows of the operator that this device holds, without those whose end waits in the queue. */
function ownFlows({ kept }: App) {
  const email = kept.session?.operator?.email
  if (email === undefined) return []
  return [...kept.flows.values()]
    .map(({ flow }) => flow)
    .filter((flow) => isOf(flow, email) && !isCompleting(flow.id, kept.entries))
}

/** What the operator is picking on this device: orders and batches. */
export function ownWalks(app: App): Walk[] {
  const flows = ownFlows(app)
  return [...new Set(flows.map(walkKeyOf))].map((key) => walkOf(key, flows))
}

/** Whether the operator is picking this order or batch on this device. */
export const isOwnWalk = (app: App, key: WalkKey): boolean => ownFlows(app).some((flow) => walkKeyOf(flow) === key)

/** The batches that the operator is picking on this device. */
export const ownBatches = (app: App): Walk[] => ownWalks(app).filter(({ key }) => batchOf(key) !== undefined)

/**
 * Reads which flows of the operator run: those that began elsewhere come to this device, those that ended elsewhere leave it. One of another
 * operator of this device that is this one's now leaves it and comes back.
 */
export async function readOwnFlows(app: App): Promise<void> {
  const operator = app.kept.session?.operator
  if (operator === null || operator === undefined) return
  const running = new Set<number>()
  const mine = { state: 'started', operator_email: operator.email, limit: 100 } as const
  for await (const { id } of app.api.client.flows.list(mine)) running.add(id)
  for (const { flow } of app.kept.flows.values()) {
    const isChanged = isOf(flow, operator.email) !== running.has(flow.id)
    if (isChanged && !isCompleting(flow.id, app.kept.entries)) await refreshFlow(app, flow.id)
  }
  await refreshDrafted(app)
  if ([...running].every((id) => app.kept.flows.has(id))) return
  // Their end may be on its way.
  await app.sender.between(async () => {
    const unknown = [...running].filter((id) => !app.kept.flows.has(id))
    const read = await inSteps(unknown, (id) => app.api.readFlow(id, operator.id))
    // All at once: a batch is never here in part.
    await keepFlows(
      app,
      read.filter((flow) => flow.state === 'started' && isOf(flow, operator.email)),
    )
  })
}
