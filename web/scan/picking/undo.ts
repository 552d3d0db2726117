import type { PickingFlowDetails } from '@fulfillment/sdk'
import type { NewPick, PickEntry } from '../queue/entry.ts'
import type { QueueEvent } from '../queue/reduce.ts'
import type { Decision, Picking } from './decision.ts'
import type { Draft } from './draft.ts'
import { aboutOf, common } from './new-entry.ts'

/** Takes the draft back, else the latest pick of the walk. */
export function undo(picking: Picking): Decision {
  const { draft } = picking
  if (draft.pick !== null) return undone(draft.pick.about.product_name, draft.pick.body.quantity, { ...draft, pick: null }, [])
  const entry = latestPick(picking)
  if (entry === undefined) return { outcome: 'problem', problem: { is: 'nothing to undo' } }
  const { [entry.body.order_detail_id]: _, ...shorts } = draft.shorts
  return undone(entry.about.product_name, entry.body.quantity, { ...draft, shorts }, [{ type: 'undo', entry }])
}

const undone = (name: string, quantity: number, draft: Draft, events: QueueEvent[]): Decision => ({
  outcome: 'taken',
  said: { is: 'undone', name, quantity },
  draft,
  events,
})

/** The pick that is undone next, as an undo. Refused picks have their own ways out. */
function latestPick(picking: Picking): NewPick | undefined {
  const { walk, entries } = picking
  const flows = new Map(walk.flows.map((flow) => [flow.id, flow]))
  const own = entries.filter(
    (entry): entry is PickEntry => entry.body !== null && entry.flow_id !== null && flows.has(entry.flow_id),
  )
  const undone = new Set(own.filter(({ kind }) => kind === 'undo').map(({ pick_id }) => pick_id))
  const waiting = own.findLast(({ kind, state, pick_id }) => kind === 'pick' && state !== 'refused' && !undone.has(pick_id))
  const flow = waiting && flows.get(waiting.flow_id)
  if (waiting !== undefined && flow !== undefined) {
    const { pick_id, body, about } = waiting
    return { ...common(picking, flow, about), kind: 'undo', pick_id, body }
  }
  const lastOfEach = walk.flows.flatMap((of) => {
    const pick = of.picks.findLast(({ id }) => !undone.has(id))
    return pick === undefined ? [] : [{ of, pick }]
  })
  const last = lastOfEach.toSorted((one, other) => Date.parse(one.pick.created_at) - Date.parse(other.pick.created_at)).at(-1)
  return last && undoOf(picking, last.of, last.pick)
}

function undoOf(picking: Picking, flow: PickingFlowDetails, pick: PickingFlowDetails['picks'][number]): NewPick {
  const [first] = pick.lines
  const line = flow.lines.find(({ order_detail_id }) => order_detail_id === first?.order_detail_id)
  const code = line?.locations.find(({ location_id }) => location_id === pick.location_id)?.location_code ?? pick.location_id
  const body = { order_detail_id: first?.order_detail_id ?? 0, location_id: pick.location_id, quantity: pick.quantity }
  const about = aboutOf(flow, { product_name: line?.product_name ?? '', location_code: code })
  return { ...common(picking, flow, about), kind: 'undo', pick_id: pick.id, body }
}
