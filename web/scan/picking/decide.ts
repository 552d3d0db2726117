import type { PickingFlowDetails } from '@fulfillment/sdk'
import { isSameCode } from '../../shared/gtin.ts'
import type { Outcome } from '../feedback.ts'
import type { Entry, NewPick, PickEntry } from '../queue/entry.ts'
import { type QueueEvent, reduce } from '../queue/reduce.ts'
import type { Draft, ShortReason } from './draft.ts'
import { exact } from './quantity.ts'
import type { Stop } from './stops.ts'
import { type FlowView, leftAt, type LineView, viewOf } from './view.ts'

/** What a decision needs to know. */
export interface Picking {
  flow: PickingFlowDetails
  draft: Draft
  entries: readonly Entry[]
  operator: { id: number; email: string }
  /** A product is scanned at its location, after the location. */
  isLocationFirst: boolean
  /** A new `pick_id`. */
  newId: () => string
  now: string
}

/** What the screen says of a success. */
export type Said =
  | { is: 'located'; code: string }
  | { is: 'taken'; taken: number; of: number }
  | { is: 'stop done'; name: string }
  | { is: 'line done'; name: string }
  | { is: 'order done' }
  | { is: 'short'; name: string }
  | { is: 'skipped' }
  | { is: 'undone'; name: string; quantity: number }

/** Why a scan or tap was not accepted. */
export type PickingProblem =
  | { is: 'location first'; expected: string }
  | { is: 'elsewhere'; name: string; codes: string[] }
  | { is: 'all taken'; name: string }
  | { is: 'nothing here'; code: string; expected: string | undefined }
  | { is: 'nothing to undo' }
  | { is: 'too much'; name: string; left: number }

/** What a scan or a tap leads to. All of it is stored before the operator hears of it. */
export type Decision =
  | { outcome: Exclude<Outcome, 'problem'>; said: Said; draft: Draft; events: QueueEvent[] }
  | { outcome: 'problem'; problem: PickingProblem }

/** Decides on the scan of a location or product of the flow; undefined for other codes. `texts` are its readings. */
export function scan(picking: Picking, texts: readonly string[]): Decision | undefined {
  const view = viewOf(picking.flow, picking.draft, picking.entries)
  const location = view.lines
    .flatMap(({ line }) => line.locations)
    .find(({ location_code, location_id }) => texts.some((text) => text === location_code || text === location_id))
  if (location !== undefined) return goTo(picking, { id: location.location_id, code: location.location_code })
  const lines = linesOf(view, texts)
  return lines.length === 0 ? undefined : takeProduct(picking, view, lines)
}

/** The operator is at this location. */
export function goTo(picking: Picking, location: { id: string; code: string }): Decision {
  // What was taken here stays a draft.
  const isSame = picking.draft.pick?.body.location_id === location.id
  const settled = isSame ? { ...picking, events: [] } : settle(picking)
  const planned = viewOf(picking.flow, { ...settled.draft, location: null }, settled.entries)
  const isChosen = !planned.stops.some((stop) => stop.location?.id === location.id)
  const draft = { ...settled.draft, location: { ...location, isChosen } }
  const view = viewOf(picking.flow, draft, settled.entries)
  const isOpenHere = view.stops.some((stop) => stop.location?.id === location.id)
  if (isOpenHere) return { outcome: 'taken', said: { is: 'located', code: location.code }, draft, events: settled.events }
  const { current } = viewOf(picking.flow, picking.draft, picking.entries)
  return { outcome: 'problem', problem: { is: 'nothing here', code: location.code, expected: current?.location?.code } }
}

/** Takes all that is left of the current stop. */
export function takeAll(picking: Picking): Decision | undefined {
  const { current } = viewOf(picking.flow, picking.draft, picking.entries)
  return current?.location === undefined ? undefined : setTaken(picking, current, current.quantity)
}

/** Sets what was taken at the current stop. */
export function setQuantity(picking: Picking, quantity: number): Decision | undefined {
  const view = viewOf(picking.flow, picking.draft, picking.entries)
  const { current } = view
  if (current?.location === undefined) return undefined
  if (quantity <= 0) return picking.draft.pick === null ? undefined : undo(picking)
  if (quantity > current.quantity)
    return { outcome: 'problem', problem: { is: 'too much', name: nameOf(view, current), left: current.quantity } }
  return setTaken(picking, current, quantity)
}

/** Makes a pick of the draft, although the stop has more. */
export function confirm(picking: Picking): Decision | undefined {
  return picking.draft.pick === null ? undefined : finishStop(picking, settle(picking))
}

/** The rest of the current line stays open for another flow. */
export function short(picking: Picking, reason: ShortReason): Decision | undefined {
  const before = viewOf(picking.flow, picking.draft, picking.entries)
  if (before.current === undefined) return undefined
  const settled = settle(picking)
  const { order_detail_id } = before.current
  const draft = { ...settled.draft, shorts: { ...settled.draft.shorts, [order_detail_id]: reason } }
  const said: Said = { is: 'short', name: nameOf(before, before.current) }
  return orderDone(picking, { ...settled, draft }) ?? { outcome: 'taken', said, draft, events: settled.events }
}

/** The current stop comes last. */
export function skip(picking: Picking): Decision | undefined {
  const { current } = viewOf(picking.flow, picking.draft, picking.entries)
  if (current === undefined) return undefined
  const settled = settle(picking)
  const skipped = [...settled.draft.skipped.filter((key) => key !== current.key), current.key]
  const draft = { ...settled.draft, location: null, skipped }
  const { stops } = viewOf(picking.flow, draft, settled.entries)
  // Nothing but what was skipped is left.
  const isLast = stops.every(({ key }) => skipped.includes(key))
  const said: Said = isLast ? { is: 'order done' } : { is: 'skipped' }
  return { outcome: isLast ? 'order' : 'taken', said, draft, events: settled.events }
}

/** Takes the draft back, else the latest pick of the flow. */
export function undo(picking: Picking): Decision {
  const { draft } = picking
  if (draft.pick !== null) return undone(draft.pick.about.product_name, draft.pick.body.quantity, { ...draft, pick: null }, [])
  const entry = latestPick(picking)
  if (entry === undefined) return { outcome: 'problem', problem: { is: 'nothing to undo' } }
  const { [entry.body.order_detail_id]: _, ...shorts } = draft.shorts
  return undone(entry.about.product_name, entry.body.quantity, { ...draft, shorts }, [{ type: 'undo', entry }])
}

/** Ends the flow: with open lines, the order goes back to those to pick. */
export function complete(picking: Picking): Decision {
  const settled = settle(picking)
  const entry = { kind: 'complete', pick_id: null, body: null, ...common(picking, '', '') } as const
  return {
    outcome: 'order',
    said: { is: 'order done' },
    draft: settled.draft,
    events: [...settled.events, { type: 'add', entry }],
  }
}

/** The draft as a pick in the queue. */
interface Settled {
  draft: Draft
  entries: readonly Entry[]
  events: QueueEvent[]
}

function settle({ draft, entries, ...picking }: Picking): Settled {
  if (draft.pick === null) return { draft, entries, events: [] }
  const { pick_id, body, about } = draft.pick
  const entry: NewPick = { kind: 'pick', pick_id, body, ...common(picking, about.product_name, about.location_code) }
  const event: QueueEvent = { type: 'add', entry }
  return { draft: { ...draft, pick: null }, entries: reduce(entries, event, Infinity), events: [event] }
}

function common({ flow, operator, now }: Pick<Picking, 'flow' | 'operator' | 'now'>, productName: string, locationCode: string) {
  const about = { order_tenant_id: flow.order_tenant_id, product_name: productName, location_code: locationCode }
  return { flow_id: flow.id, about, operator_id: operator.id, operator_email: operator.email, added_at: now }
}

function linesOf({ lines }: FlowView, texts: readonly string[]): LineView[] {
  const equal = lines.filter(({ line }) => texts.includes(line.barcode))
  return equal.length > 0 ? equal : lines.filter(({ line }) => texts.some((text) => isSameCode(text, line.barcode)))
}

function takeProduct(picking: Picking, view: FlowView, scanned: readonly LineView[]): Decision {
  const { location } = picking.draft
  const ids = new Set(scanned.map(({ order_detail_id }) => order_detail_id))
  const open = view.stops.filter((stop) => ids.has(stop.order_detail_id) && leftAt(view, stop) > 0)
  const name = scanned[0]?.line.product_name ?? ''
  if (open.length === 0) return { outcome: 'problem', problem: { is: 'all taken', name } }
  const here = open.find((stop) => stop.location !== undefined && stop.location.id === location?.id)
  const stop = here ?? (picking.isLocationFirst ? undefined : open.find((stop) => stop.location !== undefined))
  if (stop !== undefined) return setTaken(picking, stop, stop.quantity - leftAt(view, stop) + 1)
  const expected = view.current?.location
  if (expected !== undefined && expected.id !== location?.id && open.some((stop) => stop.location?.id === expected.id))
    return { outcome: 'problem', problem: { is: 'location first', expected: expected.code } }
  return { outcome: 'problem', problem: { is: 'elsewhere', name, codes: open.flatMap((stop) => stop.location?.code ?? []) } }
}

/** The draft holds `quantity` of the stop. What another stop's draft held becomes a pick; so does this one when the stop is done. */
function setTaken(picking: Picking, stop: Stop, quantity: number): Decision {
  const { pick } = picking.draft
  const { location } = stop
  const line = picking.flow.lines.find(({ order_detail_id }) => order_detail_id === stop.order_detail_id)
  if (location === undefined || line === undefined) throw new Error(`No line or location at the stop ${stop.key}`)
  const isSame = pick?.body.order_detail_id === stop.order_detail_id && pick.body.location_id === location.id
  const settled = isSame ? { ...picking, events: [] } : settle(picking)
  const taken = Math.min(exact(quantity), stop.quantity)
  const body = { order_detail_id: stop.order_detail_id, location_id: location.id, quantity: taken }
  const about = { order_tenant_id: picking.flow.order_tenant_id, product_name: line.product_name, location_code: location.code }
  const here = settled.draft.location?.id === location.id ? settled.draft.location : { ...location, isChosen: false }
  const draft = { ...settled.draft, location: here, pick: { pick_id: isSame ? pick.pick_id : picking.newId(), body, about } }
  if (taken >= stop.quantity) {
    const full = settle({ ...picking, draft, entries: settled.entries })
    return finishStop(picking, { ...full, events: [...settled.events, ...full.events] }, line.order_detail_id)
  }
  const said: Said = { is: 'taken', taken, of: stop.quantity }
  return { outcome: 'taken', said, draft, events: settled.events }
}

function finishStop(
  picking: Picking,
  settled: Settled,
  lineId = picking.draft.pick?.body.order_detail_id,
): Exclude<Decision, { outcome: 'problem' }> {
  const { draft, events } = settled
  const { lines } = viewOf(picking.flow, draft, settled.entries)
  const done = lines.find(({ order_detail_id }) => order_detail_id === lineId)
  const said: Said = { is: done?.left === 0 ? 'line done' : 'stop done', name: done?.line.product_name ?? '' }
  return orderDone(picking, settled) ?? { outcome: 'line', said, draft, events }
}

function orderDone({ flow }: Picking, { draft, entries, events }: Settled) {
  const { stops } = viewOf(flow, draft, entries)
  if (stops.length > 0) return undefined
  return { outcome: 'order', said: { is: 'order done' }, draft, events } as const
}

const undone = (name: string, quantity: number, draft: Draft, events: QueueEvent[]): Decision => ({
  outcome: 'taken',
  said: { is: 'undone', name, quantity },
  draft,
  events,
})

/** The pick that is undone next, as an undo. Refused picks have their own ways out. */
function latestPick(picking: Picking): NewPick | undefined {
  const { flow, entries } = picking
  const own = entries.filter((entry): entry is PickEntry => entry.kind !== 'complete' && entry.flow_id === flow.id)
  const undone = new Set(own.filter(({ kind }) => kind === 'undo').map(({ pick_id }) => pick_id))
  const waiting = own.findLast(({ kind, state, pick_id }) => kind === 'pick' && state !== 'refused' && !undone.has(pick_id))
  if (waiting !== undefined) {
    const { pick_id, body, about } = waiting
    return { ...common(picking, about.product_name, about.location_code), kind: 'undo', pick_id, body }
  }
  const pick = flow.picks.findLast(({ id }) => !undone.has(id))
  return pick === undefined ? undefined : undoOf(picking, pick)
}

function undoOf(picking: Picking, pick: PickingFlowDetails['picks'][number]): NewPick {
  const [first] = pick.lines
  const line = picking.flow.lines.find(({ order_detail_id }) => order_detail_id === first?.order_detail_id)
  const code = line?.locations.find(({ location_id }) => location_id === pick.location_id)?.location_code ?? pick.location_id
  const body = { order_detail_id: first?.order_detail_id ?? 0, location_id: pick.location_id, quantity: pick.quantity }
  return { ...common(picking, line?.product_name ?? '', code), kind: 'undo', pick_id: pick.id, body }
}

/** Product name of a stop's line. */
export function nameOf({ lines }: FlowView, { order_detail_id }: Stop): string {
  return lines.find((line) => line.order_detail_id === order_detail_id)?.line.product_name ?? ''
}
