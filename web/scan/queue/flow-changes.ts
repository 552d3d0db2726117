import type { PickingFlowDetails } from '@fulfillment/sdk'
import { exact } from '../../shared/exact.ts'
import { type Draft, type DraftPick, emptyDraft } from '../picking/draft.ts'
import { aboutOf } from '../picking/new-entry.ts'
import { isCompleting } from '../picking/view.ts'
import { isOf, type WalkKey, walkKeyOf } from '../picking/walk.ts'
import type { FlowRow } from '../store/database.ts'
import type { Kept, Changes } from '../store/store.ts'
import { applyNews } from './apply-news.ts'
import type { FlowNews } from './attempt.ts'
import type { Entry, Goods } from './entry.ts'
import type { QueueEvent } from './reduce.ts'

type FlowChanges = Pick<Changes, 'flows' | 'drafts' | 'events'>

/**
 * What news of a flow change in the device's state. A flow that is over, or another operator's, leaves the device; what its draft holds sounded ok
 * and is queued. Unless the flow was ended here, the operator is told of it, and of goods that the server has counted.
 */
export function flowChanges(kept: Kept, flowId: number, news: FlowNews | undefined): FlowChanges {
  const row = kept.flows.get(flowId)
  if (row === undefined || news === undefined) return {}
  const flow = applyNews(row.flow, news)
  if (flow === undefined) return withoutFlow(kept, row.flow, news)
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

function withoutFlow(kept: Kept, flow: PickingFlowDetails, news: FlowNews): FlowChanges {
  const pick = draftedPick(kept, flow)
  const isLost = news.is === 'read' && isLostHere(kept, flow, news.flow)
  const drafts = draftsWithout(kept, flow, isLost)
  const events: QueueEvent[] = isLost ? goneEvents(kept, flow, news.flow) : []
  if (pick !== undefined) events.push({ type: 'add', entry: { ...pick, kind: 'pick', ...ofFlow(kept, flow) } })
  return { flows: new Map([[flow.id, null]]), drafts, events }
}

/** Whether the flow, `before`, was ended by others or given away while this device had it. */
function isLostHere({ entries }: Kept, before: PickingFlowDetails, flow: PickingFlowDetails): boolean {
  // Completed from here, although the answer may be lost.
  const isOwnEnd = flow.state === 'completed' && entries.some(({ kind, flow_id }) => kind === 'complete' && flow_id === flow.id)
  const isElsewhere = isOf(flow, before.operator_email) && !flow.picks.every(({ id }) => isKnown(entries, before, id))
  return !isOwnEnd && !isElsewhere
}

/** Whether this device knows of a pick. The goods of another one are where it was picked since this device has read the flow, `before`. */
const isKnown = (entries: readonly Entry[], before: PickingFlowDetails, id: string): boolean =>
  before.picks.some((pick) => pick.id === id) || entries.some(({ pick_id }) => pick_id === id)

/** The draft of a walk without a flow, if it changes. In a batch the others go on, and a slot that was lost is named. */
function draftsWithout(kept: Kept, flow: PickingFlowDetails, isLost: boolean): Map<WalkKey, Draft | null> {
  const key = walkKeyOf(flow)
  if (othersOf(kept, flow).length === 0) return new Map([[key, null]])
  const isHeld = draftedPick(kept, flow) !== undefined
  const isNamed = isLost && !isCompleting(flow.id, kept.entries)
  if (!isHeld && !isNamed) return new Map()
  const draft = kept.drafts.get(key) ?? emptyDraft(key)
  const slots = isNamed ? { slots: { ...draft.slots, [flow.slot ?? 0]: flow.order_tenant_id } } : {}
  return new Map([[key, { ...draft, pick: isHeld ? null : draft.pick, ...slots }]])
}

/** What was picked of the flow, `before`, is with the operator. If nothing was, they hear that it is gone, unless something else says so. */
function goneEvents(kept: Kept, before: PickingFlowDetails, flow: PickingFlowDetails): QueueEvent[] {
  const goods = goodsOf(kept.entries, before, flow)
  if (goods.length === 0 && !isMissed(kept, before)) return []
  const about = aboutOf(before, { product_name: '', location_code: '' })
  const error = {
    reason: flow.state === 'started' ? 'operator' : 'over',
    code: 'gone',
    message: '',
    request_id: null,
    is_certain: true,
    state: flow.state,
    operator: flow.operator_email,
  } as const
  return [{ type: 'gone', entry: { kind: 'gone', pick_id: null, body: null, about, goods, ...ofFlow(kept, before) }, error }]
}

/**
 * Whether nothing but the Problems tells the operator that a flow without goods is gone: a pick of it becomes a Problem of its own, and the
 * screen of a batch names the slot. To another operator it says nothing.
 */
function isMissed(kept: Kept, flow: PickingFlowDetails): boolean {
  const hasPick = kept.entries.some(({ kind, flow_id }) => kind === 'pick' && flow_id === flow.id)
  const isTold = hasPick || draftedPick(kept, flow) !== undefined || othersOf(kept, flow).length > 0
  return !isTold && isOf(flow, kept.session?.operator?.email ?? '')
}

/**
 * What the server has counted of the picks that this device knows, by product and location: without what was undone here, or is a Problem of
 * its own.
 */
function goodsOf(entries: readonly Entry[], before: PickingFlowDetails, { picks, lines }: PickingFlowDetails): Goods[] {
  const apart = new Set(entries.filter(({ kind, state }) => kind === 'undo' || state === 'refused').map(({ pick_id }) => pick_id))
  const goods = new Map<string, Goods>()
  for (const { id, product_id, location_id, quantity } of picks) {
    if (apart.has(id) || !isKnown(entries, before, id)) continue
    const key = `${product_id} ${location_id}`
    // A location that is empty or not pickable any more is known from before.
    const known = [...lines, ...before.lines].filter((line) => line.product_id === product_id)
    const level = known.flatMap(({ locations }) => locations).find((one) => one.location_id === location_id)
    goods.set(key, {
      product_id,
      product_name: known[0]?.product_name ?? '',
      location_id,
      location_code: level?.location_code ?? location_id,
      quantity: exact((goods.get(key)?.quantity ?? 0) + quantity),
    })
  }
  return [...goods.values()]
}

/** The pick that is not confirmed yet, if it is of this flow. */
export function draftedPick({ drafts }: Kept, flow: PickingFlowDetails): DraftPick | undefined {
  const pick = drafts.get(walkKeyOf(flow))?.pick
  return flow.lines.some(({ order_detail_id }) => order_detail_id === pick?.body.order_detail_id)
    ? (pick ?? undefined)
    : undefined
}

/** What entries have of the flow and its operator, who may have left the device. */
function ofFlow({ session, operators }: Kept, { id, operator_email }: PickingFlowDetails) {
  const operator = [...operators, session?.operator].find((known) => known?.email.toLowerCase() === operator_email.toLowerCase())
  const operator_id = operator?.id ?? session?.operator?.id ?? 0
  return { flow_id: id, operator_id, operator_email, added_at: new Date().toISOString() }
}
