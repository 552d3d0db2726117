import { isCodeOf } from '@fulfillment/codes/gtin.ts'
import { exact } from '../../shared/exact.ts'
import { goods } from '../../shared/texts/scan-goods-texts.ts'
import type { Disposition, NewReceipt, ReceiptBody } from '../queue/entry.ts'
import { type QueueEvent, reduce } from '../queue/reduce.ts'
import { type GoodsLine, linesOf, type Product } from './lines.ts'
import {
  type DraftItem,
  type KnownLocation,
  locationNamed,
  nameOf,
  type Receivable,
  type RecordDraft,
  refOf,
  type SentReceipt,
} from './record.ts'
import { problem, type Step, type Work } from './step.ts'

type Receiving = Work<Receivable>

/** What is left of a decision when the goods in hand became a receipt. */
interface Settled {
  draft: RecordDraft
  events: QueueEvent[]
}

/** Decides on the scan of a location or product; undefined for codes that this device does not know. `texts` are its readings. */
export function scan(work: Receiving, texts: readonly string[]): Step | undefined {
  const location = locationNamed(work.locations, texts, work.known)
  if (location !== undefined) return goTo(work, location)
  const lines = linesOf(work.known, work.entries)
  const line =
    lines.find(({ barcode, sku }) => texts.some((text) => text === barcode || text === sku)) ??
    lines.find(({ barcode }) => texts.some((text) => isCodeOf(text, barcode)))
  return line === undefined ? undefined : take(work, line)
}

/** The goods go to this location: those in hand, if they have none yet, and those that follow. */
export function goTo(work: Receiving, location: KnownLocation): Step {
  const { draft, known } = work
  if (location.warehouse_id !== known.record.warehouse_id) return problem(goods.problem.otherWarehouse(location.code))
  if (known.kind === 'return') {
    if (draft.disposition === 'scrap') return problem(goods.problem.scrapNowhere)
    if (!isFit(location, draft.disposition)) return problem(goods.problem.notFor(location.code, draft.disposition))
  }
  const { item } = draft
  if (item === null || draft.place?.id === location.id) return located({ ...draft, place: location }, [], location)
  if (draft.place === null) return received(work, item, { ...draft, place: location })
  const settled = settle(work, item, draft)
  return located({ ...settled.draft, place: location }, settled.events, location)
}

/** More of a product, which may be one that was not announced: one, or what its code stands for. */
export function take(work: Receiving, product: Product, more = 1): Step {
  const { draft, isLocationFirst, operator } = work
  const { item } = draft
  // What another operator has left in hand becomes a receipt of theirs.
  const isOwn = (item?.operator ?? operator).id === operator.id
  if (item?.product_id === product.product_id && isOwn) return hold(work, item, exact(item.quantity + more))
  if (draft.place === null && draft.disposition !== 'scrap') {
    if (item !== null) return problem(goods.problem.locationOf(item.product_name))
    if (isLocationFirst) return problem(goods.problem.locationFirst)
  }
  const settled = item === null ? { draft, events: [] } : settle(work, item, draft)
  const after = { ...work, draft: settled.draft, entries: applied(work, settled.events) }
  const { product_id, name, weighable } = product
  const held = { pick_id: work.newId(), product_id, product_name: name, quantity: 0, operator, weighable }
  return hold(after, held, more, settled.events)
}

/** Takes all that is still to come of the product in hand. */
export function takeAll(work: Receiving): Step | undefined {
  const { item } = work.draft
  const left = item === null ? 0 : leftOf(work, item)
  return item === null || left === 0 ? undefined : hold(work, item, left)
}

/** Sets the quantity in hand. */
export function setQuantity(work: Receiving, quantity: number): Step | undefined {
  const { item } = work.draft
  if (item === null) return undefined
  return quantity === 0 ? undo(work) : hold(work, item, quantity)
}

/** What is in hand is received. */
export function confirm(work: Receiving): Step | undefined {
  const { item, place: location, disposition } = work.draft
  if (item === null) return undefined
  if (location === null && disposition !== 'scrap') return problem(goods.problem.locationOf(item.product_name))
  return received(work, item, work.draft)
}

/** What becomes of the goods in hand, and of those that follow. */
export function dispose(work: Receiving, disposition: Disposition): Step {
  const { place: location } = work.draft
  const draft = { ...work.draft, disposition, place: location !== null && isFit(location, disposition) ? location : null }
  return { outcome: 'taken', text: goods.dispositions[disposition], draft, events: [] }
}

/** Takes back what is in hand, else the latest receipt of the operator on this device. */
export function undo(work: Receiving): Step {
  const { draft } = work
  if (draft.item !== null) return undone(draft.item.product_name, draft.item.quantity, { ...draft, item: null }, [])
  const receipt = latestReceipt(work)
  if (receipt === undefined) return problem(goods.problem.nothingToUndo)
  const { receipt_id, body, product_name, location_code } = receipt
  const entry: NewReceipt = { ...common(work, product_name, location_code), kind: 'undo', pick_id: receipt_id, body }
  return undone(product_name, body.quantity, draft, [{ type: 'undo', entry }])
}

/** Whether goods with this disposition may lie at a location. */
function isFit({ sellable }: KnownLocation, disposition: Disposition): boolean {
  return disposition === 'restock' ? sellable : disposition === 'quarantine' && !sellable
}

/** The operator holds so many of a product. All that was to come of it becomes a receipt, if it is known where it goes. */
function hold(work: Receiving, item: DraftItem, quantity: number, events: QueueEvent[] = []): Step {
  const { draft, known } = work
  const line = lineOf(work, item)
  const left = line?.left ?? 0
  if (!known.record.allow_over) {
    if (line === undefined) return problem(goods.problem.notIn(item.product_name, nameOf(known)))
    if (left === 0) return problem(goods.problem.allReceived(item.product_name))
    if (quantity > left) return problem(goods.problem.tooMuch(item.product_name, left))
  }
  const held = { ...item, quantity }
  if (quantity === left && (draft.place !== null || draft.disposition === 'scrap')) return received(work, held, draft, events)
  const of = line === undefined || left === 0 ? undefined : left
  return { outcome: 'taken', text: goods.said.held(item.product_name, quantity, of), draft: { ...draft, item: held }, events }
}

function received(work: Receiving, item: DraftItem, draft: RecordDraft, before: QueueEvent[] = []): Step {
  const settled = settle(work, item, draft)
  const events = [...before, ...settled.events]
  const lines = linesOf(work.known, applied(work, settled.events))
  const isLineDone = lines.some(({ product_id, expected, left }) => product_id === item.product_id && expected > 0 && left === 0)
  const text = goods.said.received(item.product_name, item.quantity, codeAt(draft))
  if (isLineDone && lines.every(({ left }) => left === 0))
    return { outcome: 'order', text: goods.said.allReceived(nameOf(work.known)), draft: settled.draft, events }
  return { outcome: isLineDone ? 'line' : 'taken', text, draft: settled.draft, events }
}

/** The goods in hand as a receipt in the queue. Where a product is scanned before its location, each receipt has its own. */
function settle(work: Receiving, item: DraftItem, draft: RecordDraft): Settled {
  const { pick_id, product_id, product_name, quantity, operator = work.operator } = item
  const { disposition } = draft
  const location = disposition === 'scrap' ? null : draft.place
  const ofReturn = work.known.kind === 'return' ? { disposition } : {}
  const body: ReceiptBody = { product_id, quantity, location_id: location?.id ?? null, ...ofReturn }
  const entry: NewReceipt = { ...common({ ...work, operator }, product_name, codeAt(draft)), kind: 'receipt', pick_id, body }
  return {
    draft: { ...draft, item: null, place: work.isLocationFirst ? draft.place : null },
    events: [{ type: 'add', entry }],
  }
}

/** Where the goods go, as the screens say it. */
const codeAt = ({ disposition, place }: RecordDraft): string =>
  disposition === 'scrap' ? goods.dispositions.scrap : (place?.code ?? '')

function common({ known, operator, now }: Receiving, productName: string, locationCode: string) {
  const about = { order_tenant_id: nameOf(known), product_name: productName, location_code: locationCode }
  return { flow_id: null, record: refOf(known), about, operator_id: operator.id, operator_email: operator.email, added_at: now }
}

const applied = ({ entries }: Receiving, events: readonly QueueEvent[]) =>
  events.reduce((after, event) => reduce(after, event, Infinity), entries)

const lineOf = ({ known, entries }: Receiving, { product_id }: DraftItem): GoodsLine | undefined =>
  linesOf(known, entries).find((line) => line.product_id === product_id)

/** What is still to come of the product in hand. */
export const leftOf = (work: Receiving, item: DraftItem): number => lineOf(work, item)?.left ?? 0

const located = (draft: RecordDraft, events: QueueEvent[], { code }: KnownLocation): Step => ({
  outcome: 'taken',
  text: goods.said.located(code),
  draft,
  events,
})

const undone = (name: string, quantity: number, draft: RecordDraft, events: QueueEvent[]): Step => ({
  outcome: 'taken',
  text: goods.said.undone(name, quantity),
  draft,
  events,
})

/** The receipt that is undone next. Refused ones have their own ways out. */
function latestReceipt({ known, entries, operator, sent }: Receiving): SentReceipt | undefined {
  const ref = refOf(known)
  const own = entries.filter(
    ({ record, operator_id }) => record?.kind === ref.kind && record.id === ref.id && operator_id === operator.id,
  )
  const undone = new Set(own.filter(({ kind }) => kind === 'undo').map(({ pick_id }) => pick_id))
  const waiting = own.findLast(({ kind, state, pick_id }) => kind === 'receipt' && state !== 'refused' && !undone.has(pick_id))
  if (waiting?.kind !== 'receipt')
    return sent.findLast(({ receipt_id, operator_id }) => operator_id === operator.id && !undone.has(receipt_id))
  const { pick_id, operator_id, body, about } = waiting
  return { receipt_id: pick_id, operator_id, body, product_name: about.product_name, location_code: about.location_code }
}
