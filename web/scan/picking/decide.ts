import type { PickingFlowDetails } from '@fulfillment/sdk'
import { exact } from '../../shared/exact.ts'
import type { Entry, NewPick } from '../queue/entry.ts'
import { type QueueEvent, reduce } from '../queue/reduce.ts'
import type { Decision, Picking, Said } from './decision.ts'
import type { Draft, ShortReason } from './draft.ts'
import { missingOf } from './line-bounds.ts'
import { aboutOf, common, flowOf } from './new-entry.ts'
import type { Stop } from './stops.ts'
import { undo } from './undo.ts'
import { type Scanned, scannedOf } from './scanned.ts'
import { heldAt, leftAt, lineOf, mostAt, togetherWith, viewOf, type WalkView } from './view.ts'

/** Undefined if there is nothing to decide. */
export type Decide = (picking: Picking) => Decision | undefined

interface ScanOptions {
  /** The readings with their AIM prefix. */
  codes?: readonly string[]
  /** The stop that the operator saw. */
  seen?: Stop | undefined
}

/** Decides on the scan of a location or product of the walk, or of an order of a batch; undefined for other codes. `texts` are its readings. */
export function scan(
  picking: Picking,
  texts: readonly string[],
  { codes = texts, seen }: ScanOptions = {},
): Decision | undefined {
  const view = viewNow(picking)
  const location = view.lines
    .flatMap(({ line }) => line.locations)
    .find(({ location_code, location_id }) => texts.some((text) => text === location_code || text === location_id))
  if (location !== undefined) return goTo(picking, { id: location.location_id, code: location.location_code })
  const scanned = scannedOf(picking, view, codes)
  if (scanned !== undefined) return takeProduct(picking, view, scanned, seen)
  const inSlot = picking.walk.flows.find(({ slot, order_tenant_id }) => slot !== undefined && texts.includes(order_tenant_id))
  return inSlot === undefined ? undefined : confirmSlot(picking, view, inSlot)
}

const viewNow = ({ walk, draft, entries }: Pick<Picking, 'walk' | 'draft' | 'entries'>): WalkView => viewOf(walk, draft, entries)

interface GoToOptions {
  /** The operator wants to take from there what is planned elsewhere. Otherwise that is so if nothing is planned there. */
  isChosen?: boolean
}

/** The operator is at this location. */
export function goTo(picking: Picking, location: { id: string; code: string }, options: GoToOptions = {}): Decision {
  // What was taken here stays a draft.
  const isSame = picking.draft.pick?.body.location_id === location.id
  const unput = isSame ? undefined : slotFirst(picking)
  if (unput !== undefined) return unput
  const settled = isSame ? { ...picking, events: [] } : settle(picking)
  const planned = viewOf(picking.walk, { ...settled.draft, location: null }, settled.entries)
  const { location: before } = settled.draft
  // A scan of where the operator is already changes nothing.
  const isStillChosen = before?.id === location.id && before.isChosen
  const isPlanned = planned.stops.some((stop) => stop.location?.id === location.id)
  const isChosen = options.isChosen === true || isStillChosen || !isPlanned
  const draft: Draft = { ...settled.draft, location: { ...location, isChosen, isStated: true } }
  const view = viewOf(picking.walk, draft, settled.entries)
  const isOpenHere = view.stops.some((stop) => stop.location?.id === location.id)
  if (isOpenHere) return { outcome: 'taken', said: { is: 'located', code: location.code }, draft, events: settled.events }
  const { current } = viewNow(picking)
  return { outcome: 'problem', problem: { is: 'nothing here', code: location.code, expected: current?.location?.code } }
}

/**
 * The decision, if the current stop still is the one that the operator saw: what the server says may change it, and then what was meant for
 * one product or location would be recorded for another.
 */
export function forSeen(stop: Stop | undefined, make: Decide): Decide {
  return (picking) => {
    const { current } = viewNow(picking)
    const isSame = current?.key === stop?.key && current?.quantity === stop?.quantity
    return isSame ? make(picking) : { outcome: 'problem', problem: { is: 'changed' } }
  }
}

/** Takes all that is left of the current stop. */
export function takeAll(picking: Picking): Decision | undefined {
  const { current } = viewNow(picking)
  return current?.location === undefined ? undefined : setTaken(picking, current, current.quantity)
}

/** Sets what was taken at the current stop, in a batch for the current slot. What fulfils its line, within the tolerance, is all of it. */
export function setQuantity(picking: Picking, quantity: number): Decision | undefined {
  const view = viewNow(picking)
  const { current } = view
  if (current?.location === undefined) return undefined
  if (quantity <= 0) return picking.draft.pick === null ? undefined : undo(picking)
  const most = mostAt(view, current)
  if (quantity > most) return { outcome: 'problem', problem: { is: 'too much', name: nameOf(view, current), left: most } }
  return setTaken(picking, current, quantity, { enough: enoughAt(view, current) })
}

/** Makes a pick of the draft, although the stop has more. */
export function confirm(picking: Picking): Decision | undefined {
  return picking.draft.pick === null ? undefined : finishStop(picking, settle(picking))
}

/** The rest of the current line stays open for another flow; in a batch, that of each slot which waits for this product here. */
export function short(picking: Picking, reason: ShortReason): Decision | undefined {
  const before = viewNow(picking)
  if (before.current === undefined) return undefined
  const settled = settle(picking)
  const shorts = togetherWith(before, before.current).map(({ order_detail_id }) => [order_detail_id, reason])
  const draft = { ...settled.draft, shorts: { ...settled.draft.shorts, ...Object.fromEntries(shorts) } }
  const said: Said = { is: 'short', name: nameOf(before, before.current) }
  return orderDone(picking, { ...settled, draft }) ?? { outcome: 'taken', said, draft, events: settled.events }
}

/** The current stop comes last. */
export function skip(picking: Picking): Decision | undefined {
  const view = viewNow(picking)
  const { current } = view
  if (current === undefined) return undefined
  const settled = settle(picking)
  const keys = togetherWith(view, current).map(({ key }) => key)
  const skipped = [...settled.draft.skipped.filter((key) => !keys.includes(key)), ...keys]
  const draft = { ...settled.draft, location: null, skipped }
  const { stops } = viewOf(picking.walk, draft, settled.entries)
  // Nothing but what was skipped is left.
  const isLast = stops.every(({ key }) => skipped.includes(key))
  const said: Said = isLast ? { is: 'order done' } : { is: 'skipped' }
  return { outcome: isLast ? 'order' : 'taken', said, draft, events: settled.events }
}

/**
 * Ends the flow: with open lines, the order goes back to those to pick. In a batch, each flow by itself: what is refused for one order holds
 * up no other.
 */
export function complete(picking: Picking): Decision {
  const settled = settle(picking)
  const events = picking.walk.flows.map((flow): QueueEvent => {
    const about = aboutOf(flow, { product_name: '', location_code: '' })
    return { type: 'add', entry: { kind: 'complete', pick_id: null, body: null, ...common(picking, flow, about) } }
  })
  // Orders whose end is sent are not missed on the cart.
  const draft = { ...settled.draft, slots: {} }
  return { outcome: 'order', said: { is: 'order done' }, draft, events: [...settled.events, ...events] }
}

/** The draft as a pick in the queue. */
interface Settled {
  draft: Draft
  entries: readonly Entry[]
  events: QueueEvent[]
}

function settle({ draft, entries, ...picking }: Picking): Settled {
  const flow = draft.pick === null ? undefined : flowOf(picking.walk, draft.pick.body)
  if (draft.pick === null || flow === undefined) return { draft, entries, events: [] }
  const { pick_id, body, about } = draft.pick
  const entry: NewPick = { kind: 'pick', pick_id, body, ...common(picking, flow, about) }
  const event: QueueEvent = { type: 'add', entry }
  return { draft: { ...draft, pick: null }, entries: reduce(entries, event, Infinity), events: [event] }
}

/** The slot into which the draft goes: nothing else may be done before it is scanned. Undefined if that needs no scan. */
function slotFirst({ walk, draft, isSlotScanned }: Picking): Decision | undefined {
  const { slot, order_tenant_id: order = '' } = (draft.pick === null ? undefined : flowOf(walk, draft.pick.body)) ?? {}
  return slot === undefined || !isSlotScanned ? undefined : { outcome: 'problem', problem: { is: 'slot first', slot, order } }
}

/** What the screen asks for was put into the slot of this order: all of it, if the product was scanned. */
function confirmSlot(picking: Picking, view: WalkView, scanned: PickingFlowDetails): Decision {
  const { current } = view
  const line = lineOf(view, current)
  if (current?.location === undefined || line?.flow.slot === undefined) return nothingFor(scanned)
  const { flow } = line
  if (flow !== scanned)
    return { outcome: 'problem', problem: { is: 'other slot', slot: line.flow.slot, order: flow.order_tenant_id } }
  const { location } = picking.draft
  const isVerified = location?.id === current.location.id && location.product_id === current.product_id
  const held = heldAt(view, current)
  // What is weighed is taken as it was weighed.
  const isWeighed = line.line.minimum_quantity !== undefined
  if (!isVerified || (isWeighed && held === 0))
    return { outcome: 'problem', problem: { is: 'product first', name: line.line.product_name } }
  return setTaken(picking, current, isWeighed ? held : current.quantity, { enough: 0 })
}

const nothingFor = ({ order_tenant_id }: PickingFlowDetails): Decision => ({
  outcome: 'problem',
  problem: { is: 'all taken', name: order_tenant_id },
})

function takeProduct(picking: Picking, view: WalkView, scanned: Scanned, seen?: Stop): Decision {
  const { lines, units, isQuantified } = scanned
  const { location } = picking.draft
  const ids = new Set(lines.map(({ order_detail_id }) => order_detail_id))
  const open = view.stops.filter((stop) => ids.has(stop.order_detail_id) && leftAt(view, stop) > 0)
  const name = lines[0]?.line.product_name ?? ''
  const isFull = picking.draft.pick !== null && view.current !== undefined && leftAt(view, view.current) === 0
  const unput = isFull || !ids.has(picking.draft.pick?.body.order_detail_id ?? 0) ? slotFirst(picking) : undefined
  if (unput !== undefined) return unput
  if (open.length === 0) return { outcome: 'problem', problem: { is: 'all taken', name } }
  const here = open.find((stop) => stop.location !== undefined && stop.location.id === location?.id)
  if (here === undefined && location !== null && isHeldHere(view, open)) {
    const chosen = { ...picking, draft: { ...picking.draft, location: { ...location, isChosen: true } } }
    return takeProduct(chosen, viewNow(chosen), scanned, seen)
  }
  const stop = here ?? (picking.isLocationFirst ? undefined : open.find((stop) => stop.location !== undefined))
  if (stop !== undefined) {
    // Where no location is scanned, goods come from where the screen said.
    const isSeen = seen === undefined || !ids.has(seen.order_detail_id) || seen.location?.id === stop.location?.id
    if (here === undefined && !isSeen) return { outcome: 'problem', problem: { is: 'changed' } }
    const held = heldAt(view, stop)
    const isSlotNext = picking.isSlotScanned && lineOf(view, stop)?.flow.slot !== undefined
    const most = isQuantified ? mostAt(view, stop) : stop.quantity
    // A pack is not opened unseen, and what was weighed is not cut.
    if (isQuantified && exact(held + units) > most)
      return { outcome: 'problem', problem: { is: 'too much', name, left: exact(most - held) } }
    return setTaken(picking, stop, Math.min(held + units, most), {
      enough: isSlotNext ? Infinity : isQuantified ? enoughAt(view, stop) : stop.quantity,
      isScanned: true,
    })
  }
  const expected = view.current?.location
  if (expected !== undefined && expected.id !== location?.id && open.some((stop) => stop.location?.id === expected.id))
    return { outcome: 'problem', problem: { is: 'location first', expected: expected.code } }
  return { outcome: 'problem', problem: { is: 'elsewhere', name, codes: open.flatMap((stop) => stop.location?.code ?? []) } }
}

/**
 * Whether the location has the product of these stops, which are planned elsewhere. Only where the operator said to be and is still asked for
 * something: after that, they may have gone on without a scan of the next location.
 */
function isHeldHere(view: WalkView, stops: readonly Stop[]): boolean {
  const { location } = view.draft
  if (location?.isStated !== true || location.isChosen || view.current?.location?.id !== location.id) return false
  return stops.some((stop) =>
    lineOf(view, stop)?.levels.some(({ location_id, quantity }) => location_id === location.id && quantity > 0),
  )
}

/** What a weighed quantity must be for the stop to be done. */
function enoughAt(view: WalkView, stop: Stop): number {
  const line = lineOf(view, stop)
  return line === undefined ? stop.quantity : Math.min(stop.quantity, missingOf(line.line, line.picked))
}

interface TakenOptions {
  /** From this quantity on, the stop is done. */
  enough?: number
  /** The product was scanned. */
  isScanned?: boolean
}

/**
 * The draft holds `quantity` of the stop. What another stop's draft held becomes a pick; so does this one when the stop is done, with
 * `enough` or more.
 */
function setTaken(
  picking: Picking,
  stop: Stop,
  quantity: number,
  { enough = stop.quantity, isScanned = false }: TakenOptions = {},
): Decision {
  const { pick } = picking.draft
  const { location } = stop
  const flow = flowOf(picking.walk, stop)
  const line = flow?.lines.find(({ order_detail_id }) => order_detail_id === stop.order_detail_id)
  if (location === undefined || flow === undefined || line === undefined)
    throw new Error(`No line or location at the stop ${stop.key}`)
  const isSame = pick?.body.order_detail_id === stop.order_detail_id && pick.body.location_id === location.id
  const settled = isSame ? { ...picking, events: [] } : settle(picking)
  const taken = exact(quantity)
  const body = { order_detail_id: stop.order_detail_id, location_id: location.id, quantity: taken }
  const about = aboutOf(flow, { product_name: line.product_name, location_code: location.code })
  const at = settled.draft.location?.id === location.id ? settled.draft.location : { ...location, isChosen: false }
  const here = isScanned ? { ...at, product_id: stop.product_id } : at
  const draft = { ...settled.draft, location: here, pick: { pick_id: isSame ? pick.pick_id : picking.newId(), body, about } }
  if (taken >= enough) {
    const full = settle({ ...picking, draft, entries: settled.entries })
    return finishStop(picking, { ...full, events: [...settled.events, ...full.events] }, body)
  }
  const said: Said = { is: 'taken', taken, of: stop.quantity }
  return { outcome: 'taken', said, draft, events: settled.events }
}

function finishStop(
  picking: Picking,
  settled: Settled,
  body = picking.draft.pick?.body,
): Exclude<Decision, { outcome: 'problem' }> {
  const { draft, events } = settled
  const { lines } = viewOf(picking.walk, draft, settled.entries)
  const done = body === undefined ? undefined : lineOf({ lines }, body)
  const name = done?.line.product_name ?? ''
  const slot = done?.flow.slot
  const said: Said =
    slot === undefined
      ? { is: done?.left === 0 ? 'line done' : 'stop done', name }
      : { is: 'put', slot, quantity: body?.quantity ?? 0, name }
  return orderDone(picking, settled) ?? { outcome: 'line', said, draft, events }
}

function orderDone({ walk }: Picking, { draft, entries, events }: Settled) {
  const { stops } = viewOf(walk, draft, entries)
  if (stops.length > 0) return undefined
  return { outcome: 'order', said: { is: 'order done' }, draft, events } as const
}

/** Product name of a stop's line. */
export const nameOf = (view: WalkView, stop: Stop): string => lineOf(view, stop)?.line.product_name ?? ''
