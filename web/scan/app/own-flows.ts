import type { PickingFlow } from '@fulfillment/sdk'
import { isCompleting } from '../picking/view.ts'
import type { App } from './app.ts'
import { keepFlow, refreshFlow } from './flows.ts'

const isOf = (flow: PickingFlow, email: string): boolean => flow.operator_email.toLowerCase() === email.toLowerCase()

/** Running flows of the operator that this device holds, without those whose end waits in the queue. */
export function ownFlows({ kept }: App): PickingFlow[] {
  const email = kept.session?.operator?.email
  if (email === undefined) return []
  return [...kept.flows.values()]
    .map(({ flow }) => flow)
    .filter((flow) => isOf(flow, email) && !isCompleting(flow.id, kept.entries))
}

/** Reads which flows of the operator run: those that began elsewhere come to this device, those that ended elsewhere leave it. */
export async function readOwnFlows(app: App): Promise<void> {
  const operator = app.kept.session?.operator
  if (operator === null || operator === undefined) return
  const { flows } = await app.api.client.flows.list({ state: 'started', operator_email: operator.email })
  const running = new Set(flows.map(({ id }) => id))
  for (const { id } of ownFlows(app)) if (!running.has(id)) await refreshFlow(app, id)
  for (const id of running) {
    if (app.kept.flows.has(id)) continue
    // Its end may be on its way.
    await app.sender.between(async () => {
      const flow = await app.api.readFlow(id, operator.id)
      if (flow.state === 'started' && isOf(flow, operator.email)) await keepFlow(app, flow)
    })
  }
}
