import type { PickingFlowDetails } from '@fulfillment/sdk'
import type { Draft } from '../picking/draft.ts'
import { type WalkKey, walkKeyOf } from '../picking/walk.ts'
import type { FlowRow } from '../store/database.ts'
import type { Kept, Changes } from '../store/store.ts'
import { applyNews } from './apply-news.ts'
import type { FlowNews } from './attempt.ts'
import type { NewPick } from './entry.ts'

type FlowChanges = Pick<Changes, 'flows' | 'drafts' | 'events'>

/** What news of a flow change in the device's state. A flow that is over leaves the device; what its draft holds sounded ok and is queued. */
export function flowChanges(kept: Kept, flowId: number, news: FlowNews | undefined): FlowChanges {
  const row = kept.flows.get(flowId)
  if (row === undefined || news === undefined) return {}
  const flow = applyNews(row.flow, news)
  if (flow === undefined) return withoutFlow(kept, row.flow)
  return flow === row.flow ? {} : { flows: new Map([[flowId, { ...row, flow }], ...othersWithStock(kept, flow)]) }
}

const othersOf = ({ flows }: Kept, { id, batch_id }: PickingFlowDetails): FlowRow[] =>
  batch_id === undefined ? [] : [...flows.values()].filter(({ flow }) => flow.batch_id === batch_id && flow.id !== id)

/** The other flows of its batch that have products of this one: they see the same stock. */
function othersWithStock(kept: Kept, flow: PickingFlowDetails): [number, FlowRow][] {
  const levels = new Map(flow.lines.map(({ product_id, locations }) => [product_id, locations]))
  return othersOf(kept, flow)
    .filter(({ flow: { lines } }) => lines.some(({ product_id }) => levels.has(product_id)))
    .map((row) => {
      const lines = row.flow.lines.map((line) => ({ ...line, locations: levels.get(line.product_id) ?? line.locations }))
      return [row.flow.id, { ...row, flow: { ...row.flow, lines } }]
    })
}

function withoutFlow(kept: Kept, flow: PickingFlowDetails): FlowChanges {
  const key = walkKeyOf(flow)
  const pick = draftedPick(kept, key, flow)
  const draft = kept.drafts.get(key)
  const drafts = new Map<WalkKey, Draft | null>()
  if (othersOf(kept, flow).length === 0) drafts.set(key, null)
  // The others of the batch go on.
  else if (pick !== undefined && draft !== undefined) drafts.set(key, { ...draft, pick: null })
  return { flows: new Map([[flow.id, null]]), drafts, events: pick === undefined ? [] : [{ type: 'add', entry: pick }] }
}

function draftedPick({ drafts, session, operators }: Kept, key: WalkKey, flow: PickingFlowDetails): NewPick | undefined {
  const pick = drafts.get(key)?.pick
  if (pick === null || pick === undefined) return undefined
  if (flow.lines.every(({ order_detail_id }) => order_detail_id !== pick.body.order_detail_id)) return undefined
  const operator = [...operators, session?.operator].find(
    (known) => known?.email.toLowerCase() === flow.operator_email.toLowerCase(),
  )
  return {
    ...pick,
    kind: 'pick',
    flow_id: flow.id,
    operator_id: operator?.id ?? session?.operator?.id ?? 0,
    operator_email: flow.operator_email,
    added_at: new Date().toISOString(),
  }
}
