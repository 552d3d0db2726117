import type { Kept, Changes } from '../store/store.ts'
import { applyNews } from './apply-news.ts'
import type { FlowNews } from './attempt.ts'
import type { NewPick } from './entry.ts'
import type { QueueEvent } from './reduce.ts'

/** What news of a flow change in the device's state. A flow that is over leaves the device; what its draft holds sounded ok and is queued. */
export function flowChanges(
  kept: Kept,
  flowId: number,
  news: FlowNews | undefined,
): Pick<Changes, 'flows' | 'drafts' | 'events'> {
  const row = kept.flows.get(flowId)
  if (row === undefined || news === undefined) return {}
  const flow = applyNews(row.flow, news)
  if (flow !== undefined) return flow === row.flow ? {} : { flows: new Map([[flowId, { ...row, flow }]]) }
  return { flows: new Map([[flowId, null]]), drafts: new Map([[flowId, null]]), events: draftedPick(kept, flowId) }
}

function draftedPick({ drafts, flows, session, operators }: Kept, flowId: number): QueueEvent[] {
  const pick = drafts.get(flowId)?.pick
  const flow = flows.get(flowId)?.flow
  if (pick === null || pick === undefined || flow === undefined) return []
  const operator = [...operators, session?.operator].find(
    (known) => known?.email.toLowerCase() === flow.operator_email.toLowerCase(),
  )
  const entry: NewPick = {
    ...pick,
    kind: 'pick',
    flow_id: flowId,
    operator_id: operator?.id ?? session?.operator?.id ?? 0,
    operator_email: flow.operator_email,
    added_at: new Date().toISOString(),
  }
  return [{ type: 'add', entry }]
}
