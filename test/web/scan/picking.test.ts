import type { WeightPattern } from '@fulfillment/codes/weight-barcode.ts'
import type { PickingFlowDetails } from '@fulfillment/sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import { batchStopOf, goneSlots } from '../../../web/scan/batch/stop.ts'
import { complete, confirm, goTo, scan, setQuantity, short, skip, takeAll } from '../../../web/scan/picking/decide.ts'
import type { Decision, Picking } from '../../../web/scan/picking/decision.ts'
import { type Draft, emptyDraft } from '../../../web/scan/picking/draft.ts'
import { undo } from '../../../web/scan/picking/undo.ts'
import { viewOf } from '../../../web/scan/picking/view.ts'
import { walkKeyOf, walkOf } from '../../../web/scan/picking/walk.ts'
import type { Entry } from '../../../web/scan/queue/entry.ts'
import { flowChanges } from '../../../web/scan/queue/flow-changes.ts'
import { nextToSend, reduce } from '../../../web/scan/queue/reduce.ts'
import type { Kept } from '../../../web/scan/store/store.ts'

const TEA = '4006381333931'
const CUP = '4006381333948'
/** The session of the device, as far as these tests need it. */
const ADA_IS_HERE = { operator: { id: 1, email: 'ada@example.com' } }

interface Line {
  id: number
  barcode: string
  left: number
  stock: Record<string, number>
  /** Bounds of what may be picked, if the line has a tolerance. */
  bounds?: [least: number, most: number]
}

function flowOf(lines: Line[]): PickingFlowDetails {
  const products = [...new Set(lines.map(({ barcode }) => barcode))]
  const shown = lines.map(({ id, barcode, left, stock, bounds }) => ({
    order_detail_id: id,
    product_id: products.indexOf(barcode),
    barcode,
    product_name: barcode === TEA ? 'Tea' : 'Cup',
    quantity: left,
    picked_quantity: 0,
    remaining: left,
    ...(bounds && { is_fulfilled: false, minimum_quantity: bounds[0], maximum_quantity: bounds[1] }),
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
  isSlotScanned = false
  /** Further flows, in the slots of a batch. */
  others: PickingFlowDetails[] = []
  weightPatterns: readonly WeightPattern[] = []
  isWeighable: boolean | undefined = false
  #ids = 0
  #seq = 1

  constructor(lines: Line[]) {
    this.flow = flowOf(lines)
  }

  get walk() {
    return walkOf(walkKeyOf(this.flow), [this.flow, ...this.others])
  }

  do(make: (picking: Picking) => Decision | undefined): string {
    const decision = make({
      walk: this.walk,
      draft: this.draft,
      entries: this.entries,
      operator: { id: 1, email: 'ada@example.com' },
      isLocationFirst: this.isLocationFirst,
      isSlotScanned: this.isSlotScanned,
      reading: { weightPatterns: this.weightPatterns, year: 2026, isWeighable: () => this.isWeighable },
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

  /** The stop on the screen. */
  get stop() {
    return viewOf(this.walk, this.draft, this.entries).current
  }

  /** What the queue holds, in words. */
  get queue(): string[] {
    return this.entries.map(({ kind, pick_id, body }) =>
      body === null || !('order_detail_id' in body)
        ? kind
        : `${kind} ${pick_id}: ${body.quantity} of ${body.order_detail_id} at ${body.location_id}`,
    )
  }

  get current() {
    const { current, draft, stops } = viewOf(this.walk, this.draft, this.entries)
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

  it('of a product before its location is not taken from another one than the operator saw', () => {
    device.isLocationFirst = false
    const seen = device.stop
    device.flow.lines[0]!.locations = [{ location_id: 'B-1', location_code: 'B-1', quantity: 5 }]
    expect(device.do((picking) => scan(picking, [TEA], { seen }))).toBe('problem: changed')
    // Another product does not concern it.
    expect(device.do((picking) => scan(picking, [CUP], { seen }))).toBe('taken: taken')
    expect(device.do((picking) => scan(picking, [TEA], { seen: device.stop }))).toBe('taken: taken')
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

  it('with a weight adds it up, within the tolerance of the line and never beyond', () => {
    device = new Device([{ id: 1, barcode: '2112345', left: 3, stock: { 'A-1': 5 }, bounds: [2.7, 3.3] }])
    device.weightPatterns = [{ pattern: '21IIIIIWWWWWC', decimals: 3 }]
    device.isWeighable = true
    device.scan('A-1')
    expect(device.scan('2112345012506')).toBe('taken: taken')
    expect(device.scan('2112345012506')).toBe('taken: taken')
    expect(device.current).toBe('A-1: 2.5 of 3, 1 stops')
    // 3.75 kg is beyond the bounds; 3.1 kg is all of it.
    expect(device.scan('2112345012506')).toBe('problem: too much')
    expect(device.scan('2112345006000')).toBe('order: order done')
    expect(device.queue).toEqual(['pick p1: 3.1 of 1 at A-1'])
  })

  it('of a pack takes its units, on every line of its product, and no more than the stop has left', () => {
    const device = new Device([{ id: 1, barcode: TEA, left: 15, stock: { 'A-01': 50 } }])
    const [line] = device.flow.lines
    line!.barcodes = [
      { barcode: TEA, quantity: 1 },
      { barcode: '14006381333938', quantity: 12 },
      { barcode: 'HALF', quantity: 0.5 },
    ]
    device.scan('A-01')
    expect(device.scan(`0${TEA}`)).toBe('taken: taken')
    expect(device.scan('14006381333938')).toBe('taken: taken')
    expect(device.draft.pick?.body.quantity).toBe(13)
    expect(device.scan('14006381333938')).toBe('problem: too much')
    expect(device.draft.pick?.body.quantity).toBe(13)
    expect(device.scan('HALF')).toBe('taken: taken')
    expect(device.draft.pick?.body.quantity).toBe(13.5)
    expect(device.scan(TEA)).toBe('taken: taken')
    expect(device.scan(TEA)).toBe('order: order done')
    expect(device.entries.map(({ body }) => body?.quantity)).toEqual([15])
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

describe('a location where another line is planned', () => {
  const atB1 = (picking: Picking) => goTo(picking, { id: 'B-1', code: 'B-1' }, { isChosen: true })
  beforeEach(() => {
    device = new Device([
      { id: 1, barcode: TEA, left: 5, stock: { 'A-1': 10, 'B-1': 5 } },
      { id: 2, barcode: CUP, left: 3, stock: { 'B-1': 9 } },
    ])
  })

  it.for([true, false])('is where a product was taken that was scanned there, location first: %s', (isLocationFirst) => {
    device.isLocationFirst = isLocationFirst
    device.scan('B-1')
    expect(device.current).toBe('B-1: 0 of 3, 2 stops')
    expect([device.scan(TEA), device.do(confirm)]).toEqual(['taken: taken', 'line: stop done'])
    expect([device.queue, device.current]).toEqual([['pick p1: 1 of 1 at B-1'], 'B-1: 0 of 4, 2 stops'])
  })

  it('is not where a product was taken when the screen led on, or when the operator never said to be there', () => {
    device.scan('B-1')
    for (let scans = 0; scans < 3; scans++) device.scan(CUP)
    expect([device.current, device.scan(TEA)]).toEqual(['A-1: 0 of 5, 1 stops', 'problem: location first'])
    device.isLocationFirst = false
    expect([device.scan(TEA), device.current]).toEqual(['taken: taken', 'A-1: 1 of 5, 1 stops'])
  })

  it('is not where a product was taken that is scanned without any location', () => {
    device.isLocationFirst = false
    expect([device.scan(CUP), device.current]).toEqual(['taken: taken', 'B-1: 1 of 3, 2 stops'])
    expect([device.scan(TEA), device.current]).toEqual(['taken: taken', 'A-1: 1 of 5, 2 stops'])
  })

  it('is gone to by Elsewhere, also when it is scanned there', () => {
    expect([device.do(atB1), device.current]).toEqual(['taken: located', 'B-1: 0 of 5, 2 stops'])
    expect([device.scan('B-1'), device.current]).toEqual(['taken: located', 'B-1: 0 of 5, 2 stops'])
    expect(device.do(takeAll)).toBe('line: line done')
    expect([device.queue, device.current]).toEqual([['pick p1: 5 of 1 at B-1'], 'B-1: 0 of 3, 1 stops'])
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

  describe('of a line with a tolerance', () => {
    const weigh = (quantity: number) => device.do((picking) => setQuantity(picking, quantity))
    beforeEach(() => {
      device = new Device([
        { id: 1, barcode: TEA, left: 2, stock: { 'A-1': 2.1 }, bounds: [1.8, 2.2] },
        { id: 2, barcode: CUP, left: 3, stock: { 'A-2': 9 }, bounds: [2.7, 3.3] },
      ])
    })

    it('Quantity is taken up to the upper bound or the stock, and done from the lower bound on', () => {
      expect(weigh(2.101)).toBe('problem: too much')
      expect(weigh(1.799)).toBe('taken: taken')
      expect(weigh(2.1)).toBe('line: line done')
      expect([device.queue, device.current]).toEqual([['pick p1: 2.1 of 1 at A-1'], 'A-2: 0 of 3, 1 stops'])
      expect(weigh(3.301)).toBe('problem: too much')
      expect(weigh(2.7)).toBe('order: order done')
      expect(device.queue).toEqual(['pick p1: 2.1 of 1 at A-1', 'pick p2: 2.7 of 2 at A-2'])
      expect(device.scan(CUP)).toBe('problem: all taken')
    })

    it('what waits in the queue counts', () => {
      device.do(skip)
      weigh(1.5)
      device.do(confirm)
      expect(weigh(1.801)).toBe('problem: too much')
      expect(weigh(1.199)).toBe('taken: taken')
      expect(weigh(1.8)).toBe('line: line done')
    })

    it('Take all and scans take what was ordered', () => {
      device = new Device([{ id: 1, barcode: TEA, left: 2, stock: { 'A-1': 9 }, bounds: [1, 3] }])
      device.scan('A-1')
      expect(device.scan(TEA)).toBe('taken: taken')
      expect(device.do(takeAll)).toBe('order: order done')
      expect(device.queue).toEqual(['pick p1: 2 of 1 at A-1'])
    })
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

describe('a batch', () => {
  /** Slots 1, 2 and 3, of which two want tea from A-1, and one a cup besides. */
  const batch = (): Device => {
    const tea = (id: number, left: number): Line => ({ id, barcode: TEA, left, stock: { 'A-1': 4, 'B-1': 9 } })
    const flows = [[tea(1, 2)], [tea(2, 1), { id: 3, barcode: CUP, left: 1, stock: { 'A-1': 5 } }], [tea(4, 3)]].map(flowOf)
    for (const [index, flow] of flows.entries())
      Object.assign(flow, { id: 5 + index, order_tenant_id: `SHOP-${index + 1}`, batch_id: 9, slot: index + 1 })
    // Products are numbered within a flow.
    for (const line of flows.flatMap(({ lines }) => lines)) line.product_id = line.barcode === TEA ? 0 : 1
    const device = new Device([])
    device.flow = flows[0] as PickingFlowDetails
    // In any order.
    device.others = [flows[2], flows[1]] as PickingFlowDetails[]
    return device
  }
  const where = ({ walk, draft, entries }: Device): string => {
    const view = viewOf(walk, draft, entries)
    const stop = batchStopOf(view)
    const slots = stop?.shares.map(({ slot, quantity, isCurrent }) => `${isCurrent ? '>' : ''}${slot}:${quantity}`)
    return `${stop?.location?.code} ${stop?.line.line.product_name} ${stop?.take} put ${stop?.put}, ${slots?.join(' ')}`
  }

  beforeEach(() => {
    device = batch()
  })

  it('takes each product from its locations in pick order for slot after slot, and puts it with one pick a slot', () => {
    expect(where(device)).toBe('A-1 Tea 4 put 2, >1:2 2:1 3:1')
    device.scan('A-1')
    device.scan(TEA)
    expect(where(device)).toBe('A-1 Tea 4 put 2, >1:2 2:1 3:1')
    expect(device.scan(TEA)).toBe('line: put')
    expect(where(device)).toBe('A-1 Tea 2 put 1, >2:1 3:1')
    expect([device.scan(TEA), device.scan(TEA)]).toEqual(['line: put', 'line: put'])
    expect(where(device)).toBe('A-1 Cup 1 put 1, >2:1')
    device.scan(CUP)
    expect(where(device)).toBe('B-1 Tea 2 put 2, >3:2')
    device.scan('B-1')
    expect(device.do(takeAll)).toBe('order: order done')
    expect(device.queue).toEqual([
      'pick p1: 2 of 1 at A-1',
      'pick p2: 1 of 2 at A-1',
      'pick p3: 1 of 4 at A-1',
      'pick p4: 1 of 3 at A-1',
      'pick p5: 2 of 4 at B-1',
    ])
    expect(device.entries.map(({ flow_id, about }) => [flow_id, about.order_tenant_id, about.slot])).toEqual([
      [5, 'SHOP-1', 1],
      [6, 'SHOP-2', 2],
      [7, 'SHOP-3', 3],
      [6, 'SHOP-2', 2],
      [7, 'SHOP-3', 3],
    ])
  })

  it('has what the screen asks for in its slot when the order is scanned, after the product and for no other slot', () => {
    expect(device.scan('SHOP-1')).toBe('problem: product first')
    device.scan('A-1')
    expect(device.scan('SHOP-1')).toBe('problem: product first')
    device.scan(TEA)
    expect(device.scan('SHOP-3')).toBe('problem: other slot')
    expect(device.scan('SHOP-1')).toBe('line: put')
    // The product is known by now, for this stop alone.
    expect([device.scan('SHOP-2'), device.scan('SHOP-3')]).toEqual(['line: put', 'line: put'])
    expect(where(device)).toBe('A-1 Cup 1 put 1, >2:1')
    expect(device.scan('SHOP-2')).toBe('problem: product first')
    expect(device.queue).toEqual(['pick p1: 2 of 1 at A-1', 'pick p2: 1 of 2 at A-1', 'pick p3: 1 of 4 at A-1'])
  })

  it('goes on only when the order is scanned, if the device is set so', () => {
    device.isSlotScanned = true
    device.scan('A-1')
    expect([device.scan(TEA), device.scan(TEA), device.scan(TEA)]).toEqual([
      'taken: taken',
      'taken: taken',
      'problem: slot first',
    ])
    expect([device.scan(CUP), device.scan('B-1'), device.scan('SHOP-2')]).toEqual([
      'problem: slot first',
      'problem: slot first',
      'problem: other slot',
    ])
    expect(device.queue).toEqual([])
    expect(device.scan('SHOP-1')).toBe('line: put')
    expect(where(device)).toBe('A-1 Tea 2 put 1, >2:1 3:1')
    expect(device.queue).toEqual(['pick p1: 2 of 1 at A-1'])
  })

  it('a slot gets what was weighed for it', () => {
    for (const { lines } of device.walk.flows)
      for (const line of lines)
        Object.assign(line, { minimum_quantity: line.quantity * 0.9, maximum_quantity: line.quantity * 1.1 })
    device.isSlotScanned = true
    device.isWeighable = true
    device.weightPatterns = [{ pattern: '21IIIIIWWWWWC', decimals: 3 }]
    for (const { lines } of device.walk.flows) for (const line of lines) if (line.barcode === TEA) line.barcode = '2112345'
    device.scan('A-1')
    expect(device.scan('2112345019505')).toBe('taken: taken')
    expect(device.scan('SHOP-1')).toBe('line: put')
    expect(device.queue).toEqual(['pick p1: 1.95 of 1 at A-1'])
  })

  it('Short leaves open what the slots that still wait for the product here lack', () => {
    device.scan('A-1')
    device.scan(TEA)
    expect(device.do((picking) => short(picking, 'too_few'))).toBe('taken: short')
    expect(device.draft.shorts).toEqual({ 1: 'too_few', 2: 'too_few', 4: 'too_few' })
    expect([device.queue, where(device)]).toEqual([['pick p1: 1 of 1 at A-1'], 'A-1 Cup 1 put 1, >2:1'])
  })

  it('Skip puts the product at this location last, for all slots', () => {
    device.scan('A-1')
    expect(device.do(skip)).toBe('taken: skipped')
    expect(where(device)).toBe('A-1 Cup 1 put 1, >2:1')
    device.do(skip)
    expect(where(device)).toBe('B-1 Tea 2 put 2, >3:2')
  })

  it('Undo takes back the latest pick of any slot', () => {
    device.do(takeAll)
    device.do(takeAll)
    device.do(undo)
    expect(device.queue).toEqual(['pick p1: 2 of 1 at A-1'])
    const old = { product_id: 0, location_id: 'A-1', quantity: 1 }
    device.entries = []
    device.flow.picks.push({ ...old, id: 'new', lines: [], created_at: '2026-03-02T10:00:02.000Z' })
    device.others[0]?.picks.push({ ...old, id: 'old', lines: [], created_at: '2026-03-02T10:00:01.000Z' })
    device.do(undo)
    device.do(undo)
    expect(device.entries.map(({ kind, pick_id, flow_id }) => `${kind} ${pick_id} ${flow_id}`)).toEqual([
      'undo new 5',
      'undo old 7',
    ])
    expect(device.do(undo)).toBe('problem: nothing to undo')
  })

  it('Complete ends each order by itself, in slot order, and one that waits for its picks holds up no other', () => {
    device.do(takeAll)
    device.do(complete)
    expect(device.entries.map(({ kind, flow_id }) => `${kind} ${flow_id}`)).toEqual([
      'pick 5',
      'complete 5',
      'complete 6',
      'complete 7',
    ])
    const error = { reason: 'stock', code: 'adjustment_error', message: '', request_id: null, is_certain: true } as const
    device.entries = reduce(device.entries, { type: 'refused', seq: device.entries[0]?.seq ?? 0, error }, 99)
    expect(nextToSend(device.entries)).toMatchObject({ kind: 'complete', flow_id: 6 })
  })

  it('names a slot whose order left the batch, until it is off the cart', () => {
    device.draft = { ...device.draft, slots: { 1: 'SHOP-1', 2: 'SHOP-2', 3: 'SHOP-3' } }
    device.others.pop()
    expect(goneSlots(viewOf(device.walk, device.draft, []))).toEqual([{ slot: 2, order: 'SHOP-2' }])
    // What ended with the batch is not missed.
    device.do(complete)
    expect(goneSlots(viewOf(device.walk, device.draft, []))).toEqual([])
  })
})

describe('what the server says of a flow of a batch', () => {
  const flowIn = (slot: number, tea: number): PickingFlowDetails => ({
    ...flowOf([{ id: slot, barcode: TEA, left: 2, stock: { 'A-1': tea } }]),
    id: slot,
    batch_id: 9,
    slot,
  })
  const kept = (drafts: [number, Draft][] = []) =>
    ({
      flows: new Map([1, 2].map((slot) => [slot, { flow: flowIn(slot, 9), products: {} }])),
      drafts: new Map(drafts),
      operators: [],
      entries: [],
      session: ADA_IS_HERE,
    }) as unknown as Kept

  it('is the stock of all slots', () => {
    const { flows } = flowChanges(kept(), 1, { is: 'read', flow: flowIn(1, 4) })
    expect([...flows!.values()].map((row) => row?.flow.lines[0]?.locations[0]?.quantity)).toEqual([4, 4])
  })

  it('ends it alone: what the draft holds for it is queued, and the others go on', () => {
    const body = { order_detail_id: 1, location_id: 'A-1', quantity: 1 }
    const about = { order_tenant_id: 'SHOP-1', product_name: 'Tea', location_code: 'A-1', slot: 1 }
    const draft = { ...emptyDraft(-9), skipped: ['x'], pick: { pick_id: 'p1', body, about } }
    const of1 = flowChanges(kept([[-9, draft]]), 1, { is: 'over' })
    expect(of1.events).toMatchObject([{ type: 'add', entry: { flow_id: 1, pick_id: 'p1', body } }])
    expect([of1.flows?.get(1), of1.flows?.has(2), of1.drafts?.get(-9)]).toEqual([null, false, { ...draft, pick: null }])
    const of2 = flowChanges(kept([[-9, draft]]), 2, { is: 'over' })
    expect([of2.events, of2.drafts?.size]).toEqual([[], 0])
  })

  it('is told by its slot when others end it, also before anything was scanned, and in the Problems when it is the last one', () => {
    const lost = (slot: number, before: Kept) => {
      const { drafts, events } = flowChanges(before, slot, { is: 'read', flow: { ...flowIn(slot, 9), state: 'cancelled' } })
      return [drafts?.get(-9), (events ?? []).map((event) => event.type === 'gone' && event.entry.about.slot)]
    }
    expect(lost(1, kept())).toEqual([{ ...emptyDraft(-9), slots: { 1: 'SHOP-1' } }, []])
    const flows = new Map([...kept().flows].slice(1))
    expect(lost(2, { ...kept(), flows })).toEqual([null, [2]])
    const complete = { kind: 'complete', flow_id: 1, state: 'waiting' } as Entry
    expect(lost(1, { ...kept(), entries: [complete] })).toEqual([undefined, []])
  })
})

describe('a flow that others end or give away', () => {
  const started = flowOf([
    { id: 1, barcode: TEA, left: 5, stock: { 'A-1': 9 } },
    { id: 2, barcode: CUP, left: 2, stock: { 'A-2': 2 } },
  ])
  const pickOf = (id: string, product_id: number, location_id: string, quantity: number) => ({
    id,
    product_id,
    location_id,
    quantity,
    lines: [],
    created_at: '',
  })
  const picks = [pickOf('p1', 0, 'A-1', 2), pickOf('p2', 1, 'A-2', 1), pickOf('p3', 0, 'A-1', 1)]
  const entry = (kind: Entry['kind'], fields: object = {}): Entry => {
    const body = { order_detail_id: 1, location_id: 'A-1', quantity: 2 }
    const of = kind === 'complete' ? { pick_id: null, body: null } : { pick_id: 'p1', body }
    return { kind, flow_id: 5, seq: 1, state: 'waiting', attempts: 1, error: null, ...of, ...fields } as Entry
  }
  /** The queue after the flow was read as it is now. */
  const after = (
    now: Partial<PickingFlowDetails>,
    entries: readonly Entry[] = [],
    known = picks,
    here = {},
  ): readonly Entry[] => {
    const flows = new Map([[5, { flow: { ...started, picks: known }, products: {} }]])
    const kept = { flows, drafts: new Map(), operators: [], session: null, entries, ...here } as unknown as Kept
    const changes = flowChanges(kept, 5, { is: 'read', flow: { ...started, picks, ...now } })
    expect(changes.flows?.get(5)).toBe(null)
    return (changes.events ?? []).reduce((queue, event) => reduce(queue, event, 9), entries)
  }
  const named = (entries: readonly Entry[]): string[] =>
    entries.map((one) => {
      if (one.kind !== 'gone') return `${one.kind} ${one.state}`
      const goods = one.goods.map(({ quantity, product_name, location_code }) => `${quantity} ${product_name} ${location_code}`)
      return [one.kind, one.state, one.error?.reason, one.error?.state, ...goods].join(', ')
    })

  it('is a problem with all goods that the server has counted', () => {
    const queue = after({ state: 'cancelled' })
    expect(named(queue)).toEqual(['gone, refused, over, cancelled, 3 Tea A-1, 1 Cup A-2'])
    expect(queue).toMatchObject([{ flow_id: 5, operator_email: 'ada@example.com', about: { order_tenant_id: 'SHOP-1' } }])
    expect([nextToSend(queue), reduce(queue, { type: 'put back', seq: 9 }, 10)]).toEqual([undefined, []])
    expect(named(after({ state: 'completed' }))).toEqual(['gone, refused, over, completed, 3 Tea A-1, 1 Cup A-2'])
    const given = after({ operator_email: 'grace@example.com' })
    expect(named(given)).toEqual(['gone, refused, operator, started, 3 Tea A-1, 1 Cup A-2'])
    expect(given[0]?.error?.operator).toBe('grace@example.com')
  })

  it('is told without goods, too, but to its operator alone, and not when a pick of it says so', () => {
    const untouched = (now: Partial<PickingFlowDetails>, entries: readonly Entry[] = [], here: object = {}): string[] =>
      named(after({ picks: [], ...now }, entries, [], { session: ADA_IS_HERE, ...here }))
    expect(untouched({ state: 'cancelled' })).toEqual(['gone, refused, over, cancelled'])
    expect(untouched({ state: 'completed' })).toEqual(['gone, refused, over, completed'])
    expect(untouched({ operator_email: 'grace@example.com' })).toEqual(['gone, refused, operator, started'])
    expect(untouched({ state: 'cancelled' }, [entry('undo')])).toEqual(['undo waiting', 'gone, refused, over, cancelled'])
    expect(untouched({ state: 'cancelled' }, [entry('pick')])).toEqual(['pick waiting'])
    const { pick_id, body } = entry('pick')
    const draft = { ...emptyDraft(5), pick: { pick_id, body } }
    expect(untouched({ state: 'cancelled' }, [], { drafts: new Map([[5, draft]]) })).toEqual(['pick waiting'])
    expect(untouched({ state: 'cancelled' }, [], { session: null })).toEqual([])
  })

  it('is none when it was completed from here', () => {
    const completing = [entry('complete')]
    expect(after({ state: 'completed' }, completing)).toEqual(completing)
  })

  it('is none on a device that its operator has left: the goods are with the other one', () => {
    const known = picks.slice(0, 2)
    expect(after({ state: 'cancelled' }, [], known)).toEqual([])
    expect(after({ state: 'completed' }, [], known)).toEqual([])
    // The response of this one was lost.
    const third = entry('pick', { pick_id: 'p3' })
    expect(named(after({ state: 'cancelled' }, [third], known)).at(-1)).toBe(
      'gone, refused, over, cancelled, 3 Tea A-1, 1 Cup A-2',
    )
  })

  it('is no problem any more when it has come back', () => {
    const given = after({ operator_email: 'grace@example.com' })
    expect(reduce(given, { type: 'returned', flow: started }, 10)).toEqual([])
    // Of another operator who picks it on this device.
    const flow = { ...started, operator_email: 'grace@example.com' }
    expect(reduce(given, { type: 'returned', flow }, 10)).toEqual(given)
    const cancelled = after({ state: 'cancelled' })
    expect(reduce(cancelled, { type: 'returned', flow: started }, 10)).toEqual(cancelled)
  })

  it('names no goods that are back, or a problem of their own', () => {
    const queue = [entry('undo'), entry('pick', { pick_id: 'p2', state: 'refused' }), entry('pick', { pick_id: 'p3', seq: 3 })]
    expect(named(after({ state: 'cancelled' }, queue))).toEqual([
      'undo waiting',
      'pick refused',
      'pick waiting',
      'gone, refused, over, cancelled, 1 Tea A-1',
    ])
  })

  it('takes the place of its end in the queue, and of what was said of it before', () => {
    const given = after({ operator_email: 'grace@example.com' })
    expect(named(after({ state: 'cancelled' }, [...given, entry('complete', { seq: 10, state: 'sending' })]))).toEqual([
      'gone, refused, over, cancelled, 3 Tea A-1, 1 Cup A-2',
    ])
    // It has come back, and is completed.
    const complete = entry('complete', { seq: 10, attempts: 0 })
    expect(nextToSend([...given, complete])).toBe(complete)
  })

  it('knows the code of a location where nothing is any more', () => {
    started.lines[0]!.locations[0]!.location_code = 'Row 1'
    expect(named(after({ state: 'cancelled', lines: [] }))).toEqual(['gone, refused, over, cancelled, 3 Tea Row 1, 1 Cup A-2'])
  })

  it('stays on the device while it is the same operator, however the address is written', () => {
    const flow = { ...started, picks, operator_email: 'Ada@Example.com' }
    const kept = { flows: new Map([[5, { flow: started, products: {} }]]), drafts: new Map(), entries: [] } as unknown as Kept
    expect(flowChanges(kept, 5, { is: 'read', flow }).flows?.get(5)?.flow).toBe(flow)
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
    const { lines } = viewOf(device.walk, device.draft, device.entries)
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
    const { lines } = viewOf(device.walk, device.draft, device.entries)
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
