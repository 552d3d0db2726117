import type { LineToPick, PickingFlowDetails } from '@fulfillment/sdk'
import type { Entry, PickEntry } from '../queue/entry.ts'
import type { Draft } from './draft.ts'
import { exact } from './quantity.ts'
import { type OpenLine, type Stop, stopKey, stopsOf } from './stops.ts'

/** A line, counting what waits in the queue. */
export interface LineView extends OpenLine {
  line: LineToPick
}

/** What the screens show of a flow: the server's state, the queue and the draft together. */
export interface FlowView {
  flow: PickingFlowDetails
  draft: Draft
  lines: LineView[]
  /** Stops of the lines that are neither picked nor short. */
  stops: Stop[]
  /** Where the operator picks now. */
  current: Stop | undefined
}

/** The flow as the operator sees it. `entries` may be those of all flows. */
export function viewOf(flow: PickingFlowDetails, draft: Draft, entries: readonly Entry[]): FlowView {
  const own = entries.filter(({ flow_id }) => flow_id === flow.id)
  const changes = changesOf(flow, own)
  const lines = flow.lines.map((line) => lineView(line, changes))
  const open = lines.filter(({ order_detail_id }) => draft.shorts[order_detail_id] === undefined)
  const stops = stopsOf(open, {
    first: draft.location?.isChosen === true ? draft.location.id : undefined,
    skipped: draft.skipped,
  })
  return { flow, draft, lines, stops, current: currentOf(stops, draft) }
}

/** Whether completing the flow waits in the queue. */
export const isCompleting = (flowId: number, entries: readonly Entry[]): boolean =>
  entries.some(({ kind, state, flow_id }) => flow_id === flowId && kind === 'complete' && state !== 'refused')

/** Quantities that only the device knows of, less those that the server still counts: by line, and by product and location. */
interface Changes {
  lines: Map<number, number>
  levels: Map<string, number>
}

function changesOf({ picks, lines }: PickingFlowDetails, entries: readonly Entry[]): Changes {
  const counted = new Set(picks.map(({ id }) => id))
  const products = new Map(lines.map(({ order_detail_id, product_id }) => [order_detail_id, product_id]))
  const ofPicks = entries.filter((entry) => entry.kind !== 'complete')
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

function lineView(line: LineToPick, changes: Changes): LineView {
  const { order_detail_id, product_id } = line
  const levels = line.locations.map((level) => ({
    ...level,
    quantity: exact(level.quantity - (changes.levels.get(levelKey(product_id, level.location_id)) ?? 0)),
  }))
  const left = Math.max(0, exact(line.remaining - (changes.lines.get(order_detail_id) ?? 0)))
  return { line, order_detail_id, product_id, left, levels }
}

function currentOf(stops: readonly Stop[], { pick, location }: Draft): Stop | undefined {
  if (pick === null) return stops.find((stop) => stop.location?.id === location?.id && location !== null) ?? stops[0]
  const { order_detail_id, location_id, quantity } = pick.body
  const key = stopKey(order_detail_id, location_id)
  // The line may have less left by now: what was taken stays on the screen, to be confirmed or undone.
  return (
    stops.find((stop) => stop.key === key) ?? {
      key,
      order_detail_id,
      location: { id: location_id, code: pick.about.location_code },
      quantity,
    }
  )
}

/** What is left of the stop, less what the draft holds. */
export function leftAt({ draft: { pick } }: FlowView, stop: Stop): number {
  const isDrafted = pick !== null && stopKey(pick.body.order_detail_id, pick.body.location_id) === stop.key
  return isDrafted ? Math.max(0, exact(stop.quantity - pick.body.quantity)) : stop.quantity
}
