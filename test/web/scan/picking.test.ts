import type { PickingFlowDetails } from '@fulfillment/sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  complete,
  confirm,
  type Decision,
  goTo,
  type Picking,
  scan,
  setQuantity,
  short,
  skip,
  takeAll,
  undo,
} from '../../../web/scan/picking/decide.ts'
import { emptyDraft } from '../../../web/scan/picking/draft.ts'
import { viewOf } from '../../../web/scan/picking/view.ts'
import type { Entry } from '../../../web/scan/queue/entry.ts'
import { reduce } from '../../../web/scan/queue/reduce.ts'

const TEA = '4006381333931'
const CUP = '4006381333948'

interface Line {
  id: number
  barcode: string
  left: number
  stock: Record<string, number>
}

function flowOf(lines: Line[]): PickingFlowDetails {
  const products = [...new Set(lines.map(({ barcode }) => barcode))]
  const shown = lines.map(({ id, barcode, left, stock }) => ({
    order_detail_id: id,
    product_id: products.indexOf(barcode),
    barcode,
    product_name: barcode === TEA ? 'Tea' : 'Cup',
    quantity: left,
    picked_quantity: 0,
    remaining: left,
    locations: Object.entries(stock).map(([code, quantity]) => ({ location_id: code, location_code: code, quantity })),
  }))
  const head = { id: 5, order_tenant_id: 'SHOP-1', state: 'started', operator_email: 'ada@example.com' }
  return { ...head, lines: shown, picks: [] } as unknown as PickingFlowDetails
}

/** A device that picks: what is decided is kept, as the store keeps it. */
class Device {
  flow: PickingFlowDetails
  draft = emptyDraft(5)
  entries: readonly Entry[] = []
  isLocationFirst = true
  #ids = 0
  #seq = 1

  constructor(lines: Line[]) {
    this.flow = flowOf(lines)
  }

  do(make: (picking: Picking) => Decision | undefined): string {
    const decision = make({
      flow: this.flow,
      draft: this.draft,
      entries: this.entries,
      operator: { id: 1, email: 'ada@example.com' },
      isLocationFirst: this.isLocationFirst,
      newId: () => `p${++this.#ids}`,
      now: '2026-03-02T10:00:00.000Z',
    })
    if (decision === undefined) return 'unknown'
    if (decision.outcome === 'problem') return `problem: ${decision.problem.is}`
    this.draft = decision.draft
    for (const event of decision.events) this.entries = reduce(this.entries, event, this.#seq++)
    return `${decision.outcome}: ${decision.said.is}`
  }

  scan(...texts: string[]): string {
    return this.do((picking) => scan(picking, texts))
  }

  /** What the queue holds, in words. */
  get queue(): string[] {
    return this.entries.map(({ kind, pick_id, body }) =>
      body === null ? kind : `${kind} ${pick_id}: ${body.quantity} of ${body.order_detail_id} at ${body.location_id}`,
    )
  }

  get current() {
    const { current, draft, stops } = viewOf(this.flow, this.draft, this.entries)
    const taken = draft.pick?.body.quantity ?? 0
    return current === undefined ? undefined : `${current.location?.code}: ${taken} of ${current.quantity}, ${stops.length} stops`
  }
}

let device: Device

beforeEach(() => {
  device = new Device([
    { id: 1, barcode: TEA, left: 3, stock: { 'A-1': 5 } },
    { id: 2, barcode: CUP, left: 2, stock: { 'A-2': 2 } },
  ])
})

describe('a scan', () => {
  it('of location, product and product makes one pick when the stop is done', () => {
    expect(device.scan('A-1')).toBe('taken: located')
    expect([device.scan(TEA), device.scan(TEA)]).toEqual(['taken: taken', 'taken: taken'])
    expect([device.queue, device.current]).toEqual([[], 'A-1: 2 of 3, 2 stops'])
    expect(device.scan(TEA)).toBe('line: line done')
    expect([device.queue, device.current]).toEqual([['pick p1: 3 of 1 at A-1'], 'A-2: 0 of 2, 1 stops'])
  })

  it('of the last product is the end of the order', () => {
    device.scan('A-1')
    device.do(takeAll)
    device.scan('A-2')
    expect(device.scan(CUP)).toBe('taken: taken')
    expect(device.scan(CUP)).toBe('order: order done')
    expect(device.queue).toEqual(['pick p1: 3 of 1 at A-1', 'pick p2: 2 of 2 at A-2'])
  })

  it('of a product before its location is a problem, unless the device is set so', () => {
    expect(device.scan(TEA)).toBe('problem: location first')
    device.isLocationFirst = false
    expect(device.scan(TEA)).toBe('taken: taken')
    // Whatever the operator reaches first.
    expect(device.scan(CUP)).toBe('taken: taken')
    expect(device.queue).toEqual(['pick p1: 1 of 1 at A-1'])
  })

  it('of a product that lies elsewhere names its locations', () => {
    device.scan('A-1')
    expect(device.scan(CUP)).toBe('problem: elsewhere')
  })

  it('of a product that is all taken is a problem', () => {
    device.scan('A-1')
    device.do(takeAll)
    expect(device.scan(TEA)).toBe('problem: all taken')
  })

  it('of another location moves there and makes a pick of the draft', () => {
    device.scan('A-1')
    device.scan(TEA)
    expect(device.scan('A-2')).toBe('taken: located')
    expect([device.queue, device.current]).toEqual([['pick p1: 1 of 1 at A-1'], 'A-2: 0 of 2, 2 stops'])
  })

  it('of the same location again keeps the draft', () => {
    device.scan('A-1')
    device.scan(TEA)
    expect(device.scan('A-1')).toBe('taken: located')
    expect([device.queue, device.current]).toEqual([[], 'A-1: 1 of 3, 2 stops'])
  })

  it('of a location without anything to take is a problem', () => {
    device.scan('A-1')
    device.do(takeAll)
    expect(device.scan('A-1')).toBe('problem: nothing here')
  })

  it('of anything else is unknown, and another reading is tried', () => {
    expect(device.scan('nothing')).toBe('unknown')
    expect(device.scan('Aß1', 'A-1')).toBe('taken: located')
    expect(device.scan(`0${TEA}`)).toBe('taken: taken')
  })

  it('fills the lines of one product in order', () => {
    device = new Device([
      { id: 1, barcode: TEA, left: 1, stock: { 'A-1': 5 } },
      { id: 2, barcode: TEA, left: 2, stock: { 'A-1': 5 } },
    ])
    device.scan('A-1')
    expect([device.scan(TEA), device.scan(TEA), device.scan(TEA)]).toEqual([
      'line: line done',
      'taken: taken',
      'order: order done',
    ])
    expect(device.queue).toEqual(['pick p1: 1 of 1 at A-1', 'pick p2: 2 of 2 at A-1'])
  })

  it('goes on with the rest of the line at its next location', () => {
    device = new Device([{ id: 1, barcode: TEA, left: 5, stock: { 'A-1': 2, 'B-1': 4 } }])
    expect(device.current).toBe('A-1: 0 of 1, 2 stops')
    device.scan('A-1')
    expect([device.scan(TEA), device.scan(TEA)]).toEqual(['line: stop done', 'problem: location first'])
    expect(device.current).toBe('B-1: 0 of 4, 1 stops')
  })

  it('of a location that was not planned takes there what it has', () => {
    device = new Device([{ id: 1, barcode: TEA, left: 4, stock: { 'A-1': 2, 'B-1': 4 } }])
    expect(device.current).toBe('B-1: 0 of 4, 1 stops')
    device.scan('A-1')
    expect(device.current).toBe('A-1: 0 of 2, 2 stops')
    expect([device.scan(TEA), device.current]).toEqual(['taken: taken', 'A-1: 1 of 2, 2 stops'])
    expect(device.scan(TEA)).toBe('line: stop done')
    expect(device.current).toBe('B-1: 0 of 2, 1 stops')
  })
})

describe('a button', () => {
  it('Take all needs no scan', () => {
    expect(device.do(takeAll)).toBe('line: line done')
    expect(device.queue).toEqual(['pick p1: 3 of 1 at A-1'])
  })

  it('Quantity sets the draft, to no more than the stop has; 0 takes it back', () => {
    expect(device.do((picking) => setQuantity(picking, 2))).toBe('taken: taken')
    expect(device.do((picking) => setQuantity(picking, 4))).toBe('problem: too much')
    expect(device.current).toBe('A-1: 2 of 3, 2 stops')
    expect(device.do((picking) => setQuantity(picking, 0))).toBe('taken: undone')
    expect(device.current).toBe('A-1: 0 of 3, 2 stops')
  })

  it('Confirm makes a pick of less, and the rest stays to be taken', () => {
    device.scan('A-1')
    device.scan(TEA)
    expect(device.do(confirm)).toBe('line: stop done')
    expect([device.queue, device.current]).toEqual([['pick p1: 1 of 1 at A-1'], 'A-1: 0 of 2, 2 stops'])
    expect(device.do(confirm)).toBe('unknown')
  })

  it('Short leaves the rest of the line open', () => {
    device.scan('A-1')
    device.scan(TEA)
    expect(device.do((picking) => short(picking, 'damaged'))).toBe('taken: short')
    expect([device.queue, device.current]).toEqual([['pick p1: 1 of 1 at A-1'], 'A-2: 0 of 2, 1 stops'])
    expect(device.do((picking) => short(picking, 'not_found'))).toBe('order: order done')
  })

  it('Skip puts the stop last; with nothing else left the flow ends', () => {
    expect(device.do(skip)).toBe('taken: skipped')
    expect(device.current).toBe('A-2: 0 of 2, 2 stops')
    expect(device.do(skip)).toBe('order: order done')
    expect(device.current).toBe('A-1: 0 of 3, 2 stops')
  })

  it('Elsewhere goes to another location of the product', () => {
    device = new Device([{ id: 1, barcode: TEA, left: 1, stock: { 'A-1': 2, 'B-1': 1 } }])
    expect(device.current).toBe('A-1: 0 of 1, 1 stops')
    expect(device.do((picking) => goTo(picking, { id: 'B-1', code: 'B-1' }))).toBe('taken: located')
    expect(device.current).toBe('B-1: 0 of 1, 1 stops')
  })

  it('Undo takes back the draft, then the latest pick, also one that the server has', () => {
    device.flow.picks.push({
      id: 'old',
      product_id: 1,
      location_id: 'A-2',
      quantity: 1,
      lines: [{ order_detail_id: 2, quantity: 1 }],
      created_at: '',
    })
    device.scan('A-1')
    device.scan(TEA)
    expect(device.do(undo)).toBe('taken: undone')
    device.do(takeAll)
    expect(device.do(undo)).toBe('taken: undone')
    // The server has never seen it.
    expect(device.queue).toEqual([])
    expect(device.do(undo)).toBe('taken: undone')
    expect(device.queue).toEqual(['undo old: 1 of 2 at A-2'])
    expect(device.do(undo)).toBe('problem: nothing to undo')
  })

  it('Undo opens a line again that was short', () => {
    device.do((picking) => setQuantity(picking, 1))
    device.do((picking) => short(picking, 'too_few'))
    expect(device.current).toBe('A-2: 0 of 2, 1 stops')
    device.do(undo)
    expect(device.current).toBe('A-1: 0 of 3, 2 stops')
  })

  it('Complete sends the draft first', () => {
    device.do((picking) => setQuantity(picking, 1))
    expect(device.do(complete)).toBe('order: order done')
    expect(device.queue).toEqual(['pick p1: 1 of 1 at A-1', 'complete'])
    device.do(complete)
    expect(device.queue).toHaveLength(2)
  })
})

describe('the view', () => {
  it('counts a pick once, whether the queue or the server or both have it', () => {
    device.do(takeAll)
    expect(device.current).toBe('A-2: 0 of 2, 1 stops')
    // The response was lost, and the flow was read again.
    device.flow = flowOf([
      { id: 1, barcode: TEA, left: 0, stock: { 'A-1': 2 } },
      { id: 2, barcode: CUP, left: 2, stock: { 'A-2': 2 } },
    ])
    device.flow.picks.push({ id: 'p1', product_id: 0, location_id: 'A-1', quantity: 3, lines: [], created_at: '' })
    const { lines } = viewOf(device.flow, device.draft, device.entries)
    expect(lines.map(({ left, levels }) => [left, levels[0]?.quantity])).toEqual([
      [0, 2],
      [2, 2],
    ])
  })

  it('gives back what an undo in the queue will return', () => {
    device.flow = flowOf([{ id: 1, barcode: TEA, left: 0, stock: { 'A-1': 2 } }])
    device.flow.picks.push({
      id: 'p9',
      product_id: 0,
      location_id: 'A-1',
      quantity: 3,
      lines: [{ order_detail_id: 1, quantity: 3 }],
      created_at: '',
    })
    device.do(undo)
    const { lines } = viewOf(device.flow, device.draft, device.entries)
    expect(lines.map(({ left, levels }) => [left, levels[0]?.quantity])).toEqual([[3, 5]])
  })

  it('keeps a draft on the screen when its line has less left by now', () => {
    device.scan('A-1')
    device.scan(TEA)
    device.flow = flowOf([{ id: 1, barcode: TEA, left: 0, stock: { 'A-1': 2 } }])
    expect(device.current).toBe('A-1: 1 of 1, 0 stops')
    device.do(confirm)
    expect(device.queue).toEqual(['pick p1: 1 of 1 at A-1'])
  })
})
