import type { LineToPick, PickingFlowDetails } from '@fulfillment/sdk'
import { exact } from '../../shared/exact.ts'
import type { Entry, FlowEntry, PickEntry } from '../queue/entry.ts'
import type { Draft } from './draft.ts'
import { leftOf, roomOf } from './line-bounds.ts'
import { type OpenLine, type Stop, stopKey, stopsOf } from './stops.ts'
import { batchOf, type Walk } from './walk.ts'

/** A line, counting what waits in the queue. */
export interface LineView extends OpenLine {
  flow: PickingFlowDetails
  line: LineToPick
  picked: number
}

/** What the screens show of a walk: the server's state, the queue and the draft together. */
export interface WalkView {
  walk: Walk
  draft: Draft
  lines: LineView[]
  /** Stops of the lines that are neither picked nor short. */
  stops: Stop[]
  /** Where the operator picks now. */
  current: Stop | undefined
}

/** The walk as the operator sees it. `entries` may be those of all flows. */
export function viewOf(walk: Walk, draft: Draft, entries: readonly Entry[]): WalkView {
  const ids = new Set(walk.flows.map(({ id }) => id))
  const own = entries.filter((entry): entry is FlowEntry => entry.flow_id !== null && ids.has(entry.flow_id))
  const changes = changesOf(walk, own)
  const lines = walk.flows.flatMap((flow) => flow.lines.map((line) => lineView(flow, line, changes)))
  const open = lines.filter(({ order_detail_id }) => draft.shorts[order_detail_id] === undefined)
  const stops = stopsOf(open, {
    first: draft.location?.isChosen === true ? draft.location.id : undefined,
    skipped: draft.skipped,
    isBatch: batchOf(walk.key) !== undefined,
  })
  return { walk, draft, lines, stops, current: currentOf(stops, draft, lines) }
}

interface LinesView {
  lines: readonly LineView[]
}

/** The line of a stop. */
export const lineOf = ({ lines }: LinesView, stop: Pick<Stop, 'order_detail_id'> | undefined): LineView | undefined =>
  lines.find(({ order_detail_id }) => order_detail_id === stop?.order_detail_id)

/** The stops that are one for the operator: of a batch, those of a product at a location, one or more for each slot. */
export function togetherWith({ walk, stops }: WalkView, stop: Stop): Stop[] {
  if (batchOf(walk.key) === undefined) return [stop]
  const isThere = ({ product_id, location }: Stop): boolean =>
    product_id === stop.product_id && location?.id === stop.location?.id
  const others = stops.filter(isThere)
  return others.some(({ key }) => key === stop.key) ? others : [stop, ...others]
}

/** Whether completing the flow waits in the queue. */
export const isCompleting = (flowId: number, entries: readonly Entry[]): boolean =>
  entries.some(({ kind, state, flow_id }) => flow_id === flowId && kind === 'complete' && state !== 'refused')

/** Quantities that only the device knows of, less those that the server still counts: by line, and by product and location. */
interface Changes {
  lines: Map<number, number>
  levels: Map<string, number>
}

function changesOf({ flows }: Walk, entries: readonly FlowEntry[]): Changes {
  const counted = new Set(flows.flatMap(({ picks }) => picks.map(({ id }) => id)))
  const products = new Map(
    flows.flatMap(({ lines }) => lines.map(({ order_detail_id, product_id }) => [order_detail_id, product_id] as const)),
  )
  const ofPicks = entries.filter((entry) => entry.body !== null)
  const undone = new Set(ofPicks.filter(({ kind }) => kind === 'undo').map(({ pick_id }) => pick_id))
  const changes: Changes = { lines: new Map(), levels: new Map() }
  for (const entry of ofPicks) {
    const { order_detail_id, location_id, quantity } = entry.body
    const change = quantity * signOf(entry, counted, undone)
    if (change === 0) continue
    add(changes.lines, order_detail_id, change)
    add(changes.levels, levelKey(products.get(order_detail_id), location_id), change)
  }
  return changes
}

function signOf({ kind, pick_id }: PickEntry, counted: ReadonlySet<string>, undone: ReadonlySet<string>): -1 | 0 | 1 {
  if (kind === 'undo') return counted.has(pick_id) ? -1 : 0
  return counted.has(pick_id) || undone.has(pick_id) ? 0 : 1
}

const levelKey = (productId: number | undefined, locationId: string): string => `${productId} ${locationId}`

function add<K>(sums: Map<K, number>, key: K, change: number): void {
  sums.set(key, exact((sums.get(key) ?? 0) + change))
}

function lineView(flow: PickingFlowDetails, line: LineToPick, changes: Changes): LineView {
  const { order_detail_id, product_id } = line
  const levels = line.locations.map((level) => ({
    ...level,
    quantity: exact(level.quantity - (changes.levels.get(levelKey(product_id, level.location_id)) ?? 0)),
  }))
  const picked = exact(line.picked_quantity + (changes.lines.get(order_detail_id) ?? 0))
  return { flow, line, order_detail_id, product_id, picked, left: leftOf(line, picked), levels }
}

function currentOf(stops: readonly Stop[], { pick, location }: Draft, lines: readonly LineView[]): Stop | undefined {
  if (pick === null) return stops.find((stop) => stop.location?.id === location?.id && location !== null) ?? stops[0]
  const { order_detail_id, location_id, quantity } = pick.body
  const key = stopKey(order_detail_id, location_id)
  // The line may have less left by now: what was taken stays on the screen, to be confirmed or undone.
  return (
    stops.find((stop) => stop.key === key) ?? {
      key,
      order_detail_id,
      product_id: lineOf({ lines }, pick.body)?.product_id ?? 0,
      location: { id: location_id, code: pick.about.location_code },
      quantity,
    }
  )
}

/** What the draft holds of the stop. */
export function heldAt({ draft: { pick } }: WalkView, { key }: Stop): number {
  return pick !== null && stopKey(pick.body.order_detail_id, pick.body.location_id) === key ? pick.body.quantity : 0
}

/** What is left of the stop, less what the draft holds. */
export const leftAt = (view: WalkView, stop: Stop): number => Math.max(0, exact(stop.quantity - heldAt(view, stop)))

/** Most that can be taken at the stop: what it has, and within the tolerance of its line as much more as the location has. */
export function mostAt(view: WalkView, stop: Stop): number {
  const { location, quantity } = stop
  const line = lineOf(view, stop)
  if (line === undefined) return quantity
  const stock = line.levels.find(({ location_id }) => location_id === location?.id)?.quantity ?? 0
  return Math.max(quantity, Math.min(exact(quantity + roomOf(line.line, line.picked) - line.left), stock))
}
