import { exact } from '../../shared/exact.ts'
import { lineOf, type LineView, togetherWith, type WalkView } from '../picking/view.ts'

/** What a slot gets of the product that is taken. */
export interface Share {
  slot: number
  order: string
  /** What is not in it yet: with what the draft holds. */
  quantity: number
  isCurrent: boolean
}

/** A stop of a batch: a product at a location, for one slot after the other. */
export interface BatchStop {
  line: LineView
  /** Undefined if no location has it. */
  location: { id: string; code: string } | undefined
  /** What all slots together still get. */
  take: number
  /** What goes into the slot that is next. */
  put: number
  current: Share
  /** In the order of slots. */
  shares: Share[]
}

/** Where a batch is picked now; undefined if nothing is left. */
export function batchStopOf(view: WalkView): BatchStop | undefined {
  const { current } = view
  const line = lineOf(view, current)
  if (current === undefined || line === undefined) return undefined
  const shares = new Map<number, Share>()
  for (const stop of togetherWith(view, current)) {
    const { slot = 0, order_tenant_id: order = '' } = lineOf(view, stop)?.flow ?? {}
    const before = shares.get(slot)
    shares.set(slot, {
      slot,
      order,
      quantity: exact((before?.quantity ?? 0) + stop.quantity),
      isCurrent: stop.key === current.key || before?.isCurrent === true,
    })
  }
  const all = [...shares.values()]
  return {
    line,
    location: current.location,
    take: exact(all.reduce((sum, { quantity }) => sum + quantity, 0)),
    put: current.quantity,
    current: all.find(({ isCurrent }) => isCurrent) as Share,
    shares: all,
  }
}

/** An order of the batch, as it is on the cart. */
export interface SlotView {
  slot: number
  order: string
  lines: number
  done: number
}

/** The slots of a batch in order. A line that is short is done. */
export const slotsOf = ({ walk, lines, draft }: WalkView): SlotView[] =>
  walk.flows.map(({ id, slot = 0, order_tenant_id: order }) => {
    const own = lines.filter(({ flow }) => flow.id === id)
    const done = own.filter(({ left, order_detail_id }) => left === 0 || draft.shorts[order_detail_id] !== undefined)
    return { slot, order, lines: own.length, done: done.length }
  })

/** Slots whose order was ended elsewhere, or given to another operator: they may have goods. */
export function goneSlots({ walk, draft }: WalkView): Pick<SlotView, 'slot' | 'order'>[] {
  const here = new Set(walk.flows.map(({ slot }) => slot))
  return Object.entries(draft.slots ?? {})
    .map(([slot, order]) => ({ slot: Number(slot), order }))
    .filter(({ slot }) => !here.has(slot))
}
