import type { Count, InboundDelivery, Return } from '@fulfillment/sdk'
import { describe, expect, it } from 'vitest'
import * as counting from '../../../web/scan/goods/counting.ts'
import { linesOf } from '../../../web/scan/goods/lines.ts'
import {
  emptyRecordDraft,
  type KnownLocation,
  type KnownRecord,
  type Receivable,
  type RecordDraft,
} from '../../../web/scan/goods/record.ts'
import * as receiving from '../../../web/scan/goods/receiving.ts'
import type { Step, Work } from '../../../web/scan/goods/step.ts'
import type { Entry } from '../../../web/scan/queue/entry.ts'
import { reduce } from '../../../web/scan/queue/reduce.ts'

const TEA = { product_id: 1, product_name: 'Tea', barcode: '4006381333931', sku: 'TEA' }
const CUP = { product_id: 2, product_name: 'Cup', barcode: 'CUP-1', sku: null }
const locationOf = (id: string, fields: object = {}): KnownLocation => ({
  id,
  code: id,
  warehouse_id: 1,
  sellable: true,
  ...fields,
})
const DOCK = locationOf('DOCK')
const HOLD = locationOf('HOLD', { sellable: false })
const LOCATIONS = [
  locationOf('0-BOTH', { code: 'BOTH', warehouse_id: 2 }),
  locationOf('1-BOTH', { code: 'BOTH' }),
  DOCK,
  locationOf('A-1'),
  HOLD,
  locationOf('FAR', { warehouse_id: 2 }),
]
const BASE = { id: 17, reference: null, warehouse_id: 1 }

const lines = [
  { ...TEA, id: 1, quantity: 3, received_quantity: 0 },
  { ...CUP, id: 2, quantity: 2, received_quantity: 1 },
]
const delivery = (fields: object = {}): Receivable => ({
  kind: 'inbound',
  record: { ...BASE, state: 'expected', allow_over: false, lines, ...fields } as unknown as InboundDelivery,
})
const returned = (): Receivable => ({
  kind: 'return',
  record: { ...BASE, state: 'expected', allow_over: false, lines } as unknown as Return,
})

/** An operator at a record: what they do, what they hear, and what is in the queue then. */
class Hand<Known extends KnownRecord> {
  draft: RecordDraft = emptyRecordDraft
  entries: readonly Entry[] = []
  sent: Work<Known>['sent'] = []
  isLocationFirst = true
  operator = { id: 7, email: 'ada@example.com' }
  readonly known: Known
  #ids = 0

  constructor(known: Known) {
    this.known = known
  }

  get work(): Work<Known> {
    const { known, draft, entries, sent, isLocationFirst, operator } = this
    return {
      known,
      draft,
      entries,
      sent,
      isLocationFirst,
      locations: LOCATIONS,
      operator,
      newId: () => `id-${++this.#ids}`,
      now: '',
    }
  }

  /** What the operator hears: the outcome with its text, or the problem. */
  do(make: (work: Work<Known>) => Step | undefined): string {
    const step = make(this.work)
    if (step === undefined) return 'nothing'
    if (step.outcome === 'problem') return `problem: ${step.problem.message}`
    this.draft = step.draft
    for (const event of step.events) this.entries = reduce(this.entries, event, this.entries.length + 1)
    return `${step.outcome}: ${step.text}`
  }

  get queue(): string[] {
    return this.entries.map(({ kind, body }) => {
      if (body === null || !('product_id' in body)) return kind
      const disposition = 'disposition' in body ? ` ${body.disposition}` : ''
      return `${kind} ${body.quantity} of ${body.product_id} at ${body.location_id}${disposition}`
    })
  }
}

class Receiver extends Hand<Receivable> {
  scan = (...texts: string[]): string => this.do((work) => receiving.scan(work, texts))
}

class Counter extends Hand<counting.KnownCount> {
  scan = (...texts: string[]): string => this.do((work) => counting.scan(work, texts))
  confirm = (quantity: number): string => this.do((work) => counting.confirm(work, quantity))

  /** Types into the field of the product that was chosen. */
  type(text: string): void {
    this.draft = counting.withTyped(this.draft, this.draft.item!, text)!
  }

  /** What is in that field. */
  get text(): string {
    return counting.textOf(this.draft.item!)
  }
}

describe('receiving', () => {
  it('makes one receipt of what was scanned at a location, however the product is named', () => {
    const hand = new Receiver(delivery())
    expect(hand.scan('DOCK')).toBe('taken: At DOCK')
    expect(hand.scan('04006381333931')).toBe('taken: 1 of 3 × Tea')
    expect(hand.scan('TEA')).toBe('taken: 2 of 3 × Tea')
    expect(hand.queue).toEqual([])
    expect(hand.scan('A-1')).toBe('taken: At A-1')
    expect(hand.scan('CUP-1')).toBe('line: 1 × Cup: A-1')
    expect(hand.scan('TEA')).toBe('order: All of Delivery 17 is received')
    expect(hand.queue).toEqual(['receipt 2 of 1 at DOCK', 'receipt 1 of 2 at A-1', 'receipt 1 of 1 at A-1'])
    expect(hand.scan('TEA')).toBe('problem: All of Tea is received')
    expect(hand.scan('no such code')).toBe('nothing')
  })

  it('takes no more than announced, and nothing that was not announced', () => {
    const hand = new Receiver(delivery())
    hand.scan('DOCK')
    hand.scan('TEA')
    expect(hand.do((work) => receiving.setQuantity(work, 4))).toBe('problem: Only 3 × Tea still expected')
    expect(hand.do((work) => receiving.take(work, { product_id: 9, name: 'Pot' }))).toBe('problem: Pot is not in Delivery 17')
    expect(hand.draft.item).toMatchObject({ product_name: 'Tea', quantity: 1 })
    // None of it is nothing in hand, not a receipt of nothing.
    expect(hand.do((work) => receiving.setQuantity(work, 0))).toBe('taken: Undone: 1 × Tea')
    expect([hand.draft.item, hand.do(receiving.confirm), hand.queue]).toEqual([null, 'nothing', []])
  })

  it('takes both where the delivery allows it', () => {
    const hand = new Receiver(delivery({ allow_over: true }))
    hand.scan('DOCK')
    hand.scan('TEA')
    expect(hand.do((work) => receiving.setQuantity(work, 5))).toBe('taken: 5 of 3 × Tea')
    expect(hand.do((work) => receiving.take(work, { product_id: 9, name: 'Pot' }))).toBe('taken: 1 × Pot')
    expect(hand.do(receiving.confirm)).toBe('taken: 1 × Pot: DOCK')
    expect(hand.queue).toEqual(['receipt 5 of 1 at DOCK', 'receipt 1 of 9 at DOCK'])
    expect(linesOf(hand.known, hand.entries).at(-1)).toMatchObject({ name: 'Pot', expected: 0, received: 1, left: 0 })
  })

  it('with the product first, gives each receipt the location that is scanned after it', () => {
    const hand = new Receiver(delivery())
    hand.isLocationFirst = false
    expect(hand.scan('TEA')).toBe('taken: 1 of 3 × Tea')
    expect(hand.scan('CUP-1')).toBe('problem: Scan the location of Tea first')
    expect(hand.do(receiving.confirm)).toBe('problem: Scan the location of Tea first')
    expect(hand.scan('A-1')).toBe('taken: 1 × Tea: A-1')
    expect(hand.scan('CUP-1')).toBe('taken: 1 of 1 × Cup')
    expect(hand.scan('DOCK')).toBe('line: 1 × Cup: DOCK')
    expect(hand.queue).toEqual(['receipt 1 of 1 at A-1', 'receipt 1 of 2 at DOCK'])
  })

  it('is not at a location of another warehouse', () => {
    expect(new Receiver(delivery()).scan('FAR')).toBe('problem: FAR is in another warehouse')
  })

  it('is at the location of its own warehouse where another one has the same code', () => {
    for (const record of [delivery(), returned()]) {
      const hand = new Receiver(record)
      expect(hand.scan('BOTH')).toBe('taken: At BOTH')
      expect(hand.draft.place).toMatchObject({ id: '1-BOTH' })
    }
    expect(new Receiver(delivery({ warehouse_id: 3 })).scan('BOTH')).toBe('problem: BOTH is in another warehouse')
  })

  it('puts goods that come back where they may lie', () => {
    const hand = new Receiver(returned())
    const dispose = (disposition: 'restock' | 'quarantine' | 'scrap'): string =>
      hand.do((work) => receiving.dispose(work, disposition))
    expect(hand.scan('HOLD')).toBe('problem: HOLD is not for goods that are sold')
    hand.scan('DOCK')
    hand.scan('TEA')
    // What is in hand goes with the disposition that is chosen last.
    expect(dispose('quarantine')).toBe('taken: Quarantine')
    expect(hand.draft.place).toBeNull()
    expect(hand.scan('DOCK')).toBe('problem: DOCK is for goods that are sold, not for quarantine')
    expect(hand.scan('HOLD')).toBe('taken: 1 × Tea: HOLD')
    dispose('scrap')
    expect(hand.scan('HOLD')).toBe('problem: Scrap goes to no location')
    expect(hand.scan('TEA')).toBe('taken: 1 of 2 × Tea')
    expect(hand.do(receiving.takeAll)).toBe('line: 2 × Tea: Scrap')
    expect(hand.queue).toEqual(['receipt 1 of 1 at HOLD quarantine', 'receipt 2 of 1 at null scrap'])
  })

  it('undoes what is in hand, then what waits, then what was sent, of the operator alone', () => {
    const hand = new Receiver(delivery())
    const undo = (): string => hand.do(receiving.undo)
    const own = {
      receipt_id: 'old',
      operator_id: 7,
      body: { product_id: 2, quantity: 1, location_id: 'DOCK' },
      product_name: 'Cup',
    }
    hand.sent = [
      { ...own, location_code: 'DOCK' },
      { ...own, receipt_id: 'of Grace', operator_id: 8, location_code: 'DOCK' },
    ]
    hand.scan('DOCK')
    hand.scan('TEA')
    hand.do(receiving.confirm)
    hand.scan('TEA')
    expect(undo()).toBe('taken: Undone: 1 × Tea')
    expect(hand.queue).toEqual(['receipt 1 of 1 at DOCK'])
    expect(undo()).toBe('taken: Undone: 1 × Tea')
    expect(hand.queue).toEqual([])
    expect(undo()).toBe('taken: Undone: 1 × Cup')
    expect(hand.entries).toMatchObject([{ kind: 'undo', pick_id: 'old' }])
    // The line is open again, for 2 instead of 1.
    expect(linesOf(hand.known, hand.entries)).toMatchObject([{ left: 3 }, { received: 0, left: 2 }])
    expect(undo()).toBe('problem: There is nothing to undo')
  })

  it('makes a receipt of the operator who scanned the goods, whoever goes on', () => {
    const hand = new Receiver(delivery())
    const receipts = (): string[] =>
      hand.entries.map(({ operator_id, operator_email }, index) => `${hand.queue[index]} by ${operator_id} ${operator_email}`)
    hand.scan('DOCK')
    hand.scan('TEA')
    hand.operator = { id: 8, email: 'grace@example.com' }
    // Of the same product, too.
    expect(hand.scan('TEA')).toBe('taken: 1 of 2 × Tea')
    hand.operator = { id: 7, email: 'ada@example.com' }
    expect(hand.do(receiving.confirm)).toBe('taken: 1 × Tea: DOCK')
    expect(receipts()).toEqual(['receipt 1 of 1 at DOCK by 7 ada@example.com', 'receipt 1 of 1 at DOCK by 8 grace@example.com'])
    // An older build has stored no operator: it is the one who goes on.
    const item = { pick_id: 'old', product_id: 1, product_name: 'Tea', quantity: 1 }
    hand.draft = { ...hand.draft, item }
    hand.operator = { id: 8, email: 'grace@example.com' }
    hand.do(receiving.confirm)
    expect(receipts().at(-1)).toBe('receipt 1 of 1 at DOCK by 8 grace@example.com')
  })

  it('does not count what was refused', () => {
    const hand = new Receiver(delivery())
    hand.scan('DOCK')
    hand.scan('TEA')
    hand.do(receiving.takeAll)
    const error = { reason: 'beyond', code: 'inbound_error', message: '', request_id: null, is_certain: true } as const
    hand.entries = reduce(hand.entries, { type: 'refused', seq: 1, error }, 9)
    expect(linesOf(hand.known, hand.entries)[0]).toMatchObject({ received: 0, left: 3 })
    // Problems are resolved one by one: undo passes over them.
    expect(hand.do(receiving.undo)).toBe('problem: There is nothing to undo')
  })
})

describe('counting', () => {
  const level = (product: typeof TEA | typeof CUP, location_id: string) => ({
    ...product,
    location_id,
    location_code: location_id,
    counted_quantity: null,
    expected_quantity: 5,
    counted_at: null,
  })
  const count = (fields: object = {}): counting.KnownCount => ({
    kind: 'count',
    record: {
      ...BASE,
      state: 'counting',
      location_ids: ['A-1', 'DOCK'],
      product_ids: null,
      lines: [level(TEA, 'A-1'), level(CUP, 'A-1'), level(TEA, 'DOCK')],
      ...fields,
    } as unknown as Count,
  })

  it('leads from location to location, and takes a quantity only when it is confirmed', () => {
    const hand = new Counter(count())
    expect(hand.scan('TEA')).toBe('problem: Scan the location first')
    expect(hand.scan('A-1')).toBe('taken: At A-1')
    expect(hand.scan('TEA')).toBe('taken: 1 × Tea')
    expect(hand.scan('TEA')).toBe('taken: 2 × Tea')
    expect(hand.scan('CUP-1')).toBe('problem: Confirm the count of Tea first')
    expect(hand.scan('DOCK')).toBe('problem: Confirm the count of Tea first')
    expect(hand.confirm(2.5)).toBe('taken: 2.5 × Tea')
    expect(hand.do((work) => counting.choose(work, { product_id: 2, name: 'Cup' }, 0))).toBe('taken: Cup')
    expect(hand.confirm(0)).toBe('line: All counted at A-1')
    expect(counting.nextLevel(counting.levelsOf(hand.known, hand.entries))?.location_code).toBe('DOCK')
    hand.scan('DOCK')
    hand.scan('TEA')
    expect(hand.confirm(5)).toBe('order: All of Count 17 is counted')
    expect(hand.queue).toEqual(['count 2.5 of 1 at A-1', 'count 0 of 2 at A-1', 'count 5 of 1 at DOCK'])
  })

  it('replaces an earlier count of the same level that was not sent', () => {
    const hand = new Counter(count())
    hand.scan('A-1')
    for (const quantity of [2, 3]) {
      hand.scan('TEA')
      hand.confirm(quantity)
    }
    expect(hand.queue).toEqual(['count 3 of 1 at A-1'])
    hand.scan('TEA')
    expect(hand.do(counting.undo)).toBe('taken: Undone: 1 × Tea')
    expect(hand.do(counting.undo)).toBe('problem: Nothing to undo: count the location again')
  })

  it('drops no quantity that was typed and not confirmed', () => {
    const hand = new Counter(count())
    const tap = (product: typeof TEA | typeof CUP): string =>
      hand.do((work) => counting.choose(work, { product_id: product.product_id, name: product.product_name }, 0))
    hand.scan('A-1')
    expect(tap(TEA)).toBe('taken: Tea')
    hand.type('97')
    expect(hand.scan('DOCK')).toBe('problem: Confirm the count of Tea first')
    expect(hand.scan('CUP-1')).toBe('problem: Confirm the count of Tea first')
    expect(tap(CUP)).toBe('problem: Confirm the count of Tea first')
    expect(tap(TEA)).toBe('taken: Tea')
    expect(hand.text).toBe('97')
    hand.type('')
    expect(hand.scan('DOCK')).toBe('taken: At DOCK')
  })

  it('a scan adds to what was typed before it, which is not stored after it', () => {
    const hand = new Counter(count())
    hand.scan('A-1')
    hand.scan('TEA')
    const before = hand.draft.item!
    hand.type('97')
    expect([hand.text, hand.scan('TEA'), hand.text]).toEqual(['97', 'taken: 98 × Tea', '98'])
    expect(counting.withTyped(hand.draft, before, '99')).toBeUndefined()
    // Also where the sum is the quantity that was there before.
    const same = hand.draft.item!
    hand.type('97')
    expect([hand.scan('TEA'), hand.text]).toEqual(['taken: 98 × Tea', '98'])
    expect(counting.withTyped(hand.draft, same, '99')).toBeUndefined()
    hand.type('')
    expect([hand.text, hand.scan('TEA'), hand.text]).toEqual(['', 'taken: 1 × Tea', '1'])
  })

  it('adds packs and weights to what was typed, with three decimals', () => {
    const hand = new Counter(count())
    const take = (quantity: number): string => hand.do((work) => counting.choose(work, { product_id: 1, name: 'Tea' }, quantity))
    hand.scan('A-1')
    take(0.1)
    expect([take(0.2), hand.text]).toEqual(['taken: 0.3 × Tea', '0.3'])
    hand.type('1,1')
    expect([take(2.2), hand.text]).toEqual(['taken: 3.3 × Tea', '3.3'])
    hand.type('140')
    expect([take(6), hand.text]).toEqual(['taken: 146 × Tea', '146'])
  })

  it('stops at a scan after what is no quantity, which stays', () => {
    const hand = new Counter(count())
    hand.scan('A-1')
    hand.scan('TEA')
    hand.type('1,234')
    expect(hand.scan('TEA')).toMatch(/^problem: Correct the quantity of Tea first. This is not a number/)
    expect(hand.text).toBe('1,234')
    hand.type('1234')
    expect([hand.scan('TEA'), hand.text]).toEqual(['taken: 1,235 × Tea', '1235'])
  })

  it('is at the location of its own warehouse where another one has the same code', () => {
    const hand = new Counter(count({ location_ids: null }))
    expect(hand.scan('BOTH')).toBe('taken: At BOTH')
    expect(hand.draft.place).toMatchObject({ id: '1-BOTH' })
  })

  it('stays in its scope, in which levels may be found that nobody expected', () => {
    const hand = new Counter(count({ product_ids: [1, 2] }))
    expect(hand.scan('HOLD')).toBe('problem: HOLD is not in this count')
    expect(hand.scan('FAR')).toBe('problem: FAR is in another warehouse')
    hand.scan('DOCK')
    expect(hand.do((work) => counting.choose(work, { product_id: 9, name: 'Pot' }, 1))).toBe('problem: Pot is not in this count')
    expect(hand.scan('CUP-1')).toBe('taken: 1 × Cup')
    hand.confirm(1)
    expect(counting.levelsOf(hand.known, hand.entries).at(-1)).toMatchObject({ location_id: 'DOCK', name: 'Cup', counted: 1 })
  })
})
