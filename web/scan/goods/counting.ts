import type { Count } from '@fulfillment/sdk'
import { isCodeOf } from '@fulfillment/codes/gtin.ts'
import { exact } from '../../shared/exact.ts'
import { goods } from '../../shared/texts/scan-goods-texts.ts'
import { problemOf, quantityOf } from '../kit/typed-quantity.ts'
import { type CountEntry, type Entry, isOfRecord, type NewCount } from '../queue/entry.ts'
import { type QueueEvent, reduce } from '../queue/reduce.ts'
import type { Product } from './lines.ts'
import { type DraftItem, type KnownLocation, type KnownRecord, locationNamed, nameOf, type RecordDraft, refOf } from './record.ts'
import { problem, type Step, type Work } from './step.ts'

type Counting = Work<KnownCount>
export type KnownCount = Extract<KnownRecord, { kind: 'count' }>

/** A level to count, with what waits in the queue. */
export interface LevelLine extends Product {
  location_id: string
  location_code: string
  barcode: string
  sku: string | null
  /** Null before it is counted. */
  counted: number | null
  /** Null in a blind count. */
  expected: number | null
}

/** The levels of a count in the order in which to walk. `entries` may be those of all records. */
export function levelsOf(known: KnownCount, entries: readonly Entry[]): LevelLine[] {
  const own = entries.filter(
    (entry): entry is CountEntry => isOfRecord(entry, refOf(known)) && entry.kind === 'count' && entry.state !== 'refused',
  )
  const waiting = new Map(own.map((entry) => [keyOf(entry.body), entry]))
  const levels = known.record.lines.map((line) => lineOf(line, waiting.get(keyOf(line))))
  const there = new Set(known.record.lines.map(keyOf))
  return [...levels, ...[...waiting.values()].filter(({ body }) => !there.has(keyOf(body))).map(newLine)]
}

/** The level to count next: the first that is not counted. */
export const nextLevel = (levels: readonly LevelLine[]): LevelLine | undefined => levels.find(({ counted }) => counted === null)

/** Decides on the scan of a location or product; undefined for codes that this device does not know. `texts` are its readings. */
export function scan(work: Counting, texts: readonly string[]): Step | undefined {
  const levels = levelsOf(work.known, work.entries)
  const location = locationOf(work, levels, texts)
  if (location !== undefined) return goTo(work, location)
  const product =
    levels.find(({ barcode, sku }) => texts.some((text) => text === barcode || text === sku)) ??
    levels.find(({ barcode }) => texts.some((text) => isCodeOf(text, barcode)))
  return product === undefined ? undefined : choose(work, product, 1)
}

/** The operator is at this location. */
export function goTo({ known, draft }: Counting, location: KnownLocation): Step {
  const { item } = draft
  if (item !== null && isUnconfirmed(item)) return problem(goods.problem.confirmFirst(item.product_name))
  const { location_ids, warehouse_id } = known.record
  if (location.warehouse_id !== warehouse_id) return problem(goods.problem.otherWarehouse(location.code))
  if (location_ids !== null && !location_ids.includes(location.id)) return problem(goods.problem.notCounted(location.code))
  return {
    outcome: 'taken',
    text: goods.said.located(location.code),
    draft: { ...draft, place: location, item: null },
    events: [],
  }
}

/** Chooses a product at the location. `more`: how many of it were scanned. */
export function choose(work: Counting, { product_id, name }: Product, more: number): Step {
  const { known, draft, entries } = work
  const { place: location, item } = draft
  if (location === null) return problem(goods.problem.locationFirst, nextLevel(levelsOf(known, entries))?.location_code)
  const isSame = item?.product_id === product_id
  if (item !== null && !isSame && isUnconfirmed(item)) return problem(goods.problem.confirmFirst(item.product_name))
  const { product_ids, lines } = known.record
  const isLine = lines.some((line) => line.product_id === product_id && line.location_id === location.id)
  if (!isLine && product_ids !== null && !product_ids.includes(product_id)) return problem(goods.problem.notCounted(name))
  const held = isSame ? withMore(work, item, more) : { pick_id: work.newId(), product_id, product_name: name, quantity: more }
  if (held === undefined) return problem(goods.problem.correctFirst(name, problemOf(item?.typed ?? '', false)))
  return { outcome: 'taken', text: goods.said.chosen(name, held.quantity), draft: { ...draft, item: held }, events: [] }
}

/** A scan adds to the quantity that the field shows; undefined if that is not readable. A tap on the product that is chosen already changes nothing. */
function withMore({ newId }: Counting, item: DraftItem, more: number): DraftItem | undefined {
  const { typed, ...scanned } = item
  if (more === 0) return item
  if (typed === undefined) return { ...item, quantity: exact(item.quantity + more) }
  const quantity = typed === '' ? 0 : quantityOf(typed)
  // A new id: the sum may be a quantity that was scanned before, and what was typed then is not typed into this one.
  return quantity === undefined ? undefined : { ...scanned, pick_id: newId(), quantity: exact(quantity + more) }
}

/** Whether something was scanned or typed of the product that was chosen: it is not dropped without a word. */
export const isUnconfirmed = ({ quantity, typed = '' }: DraftItem): boolean => quantity > 0 || typed !== ''

/** The text in the field: what was typed, else what was scanned. Empty until then: choosing a product counts nothing. */
export const textOf = ({ quantity, typed }: DraftItem): string => typed ?? (quantity === 0 ? '' : String(quantity))

/** The draft with another text in the field; undefined if a scan has added to the one before. */
export function withTyped(draft: RecordDraft, { pick_id, quantity }: DraftItem, typed: string): RecordDraft | undefined {
  const { item } = draft
  return item?.pick_id === pick_id && item.quantity === quantity ? { ...draft, item: { ...item, typed } } : undefined
}

/** So many lie there: all of the product at the location. */
export function confirm(work: Counting, quantity: number): Step | undefined {
  const { known, draft, entries, operator, now } = work
  const { place: location, item } = draft
  if (location === null || item === null) return undefined
  const { pick_id, product_id, product_name } = item
  const about = { order_tenant_id: nameOf(known), product_name, location_code: location.code }
  const body = { product_id, location_id: location.id, quantity }
  const by = { operator_id: operator.id, operator_email: operator.email, added_at: now }
  const entry: NewCount = { kind: 'count', pick_id, flow_id: null, record: refOf(known), about, body, ...by }
  const events: QueueEvent[] = [{ type: 'add', entry }]
  const levels = levelsOf(known, reduce(entries, events[0] as QueueEvent, Infinity))
  const after: RecordDraft = { ...draft, item: null }
  if (nextLevel(levels) === undefined)
    return { outcome: 'order', text: goods.said.allCounted(nameOf(known)), draft: after, events }
  const isLocationDone = levels.every(({ location_id, counted }) => location_id !== location.id || counted !== null)
  const text = isLocationDone ? goods.said.locationDone(location.code) : goods.said.counted(product_name, quantity)
  return { outcome: isLocationDone ? 'line' : 'taken', text, draft: after, events }
}

/** Nothing is counted of the product that was chosen. What was confirmed is counted again instead. */
export function undo({ draft }: Counting): Step {
  if (draft.item === null) return problem(goods.problem.countAgain)
  const { product_name, quantity } = draft.item
  return { outcome: 'taken', text: goods.said.undone(product_name, quantity), draft: { ...draft, item: null }, events: [] }
}

function locationOf(
  { locations, known }: Counting,
  levels: readonly LevelLine[],
  texts: readonly string[],
): KnownLocation | undefined {
  const level = levels.find(({ location_code: code, location_id: id }) => texts.some((text) => text === code || text === id))
  if (level === undefined) return locationNamed(locations, texts, known)
  const { warehouse_id } = known.record
  return { id: level.location_id, code: level.location_code, warehouse_id, sellable: true }
}

const keyOf = ({ product_id, location_id }: CountEntry['body'] | Count['lines'][number]): string => `${product_id} ${location_id}`

function lineOf(line: Count['lines'][number], waiting: CountEntry | undefined): LevelLine {
  const { product_id, product_name, location_id, location_code, barcode, sku, counted_quantity, expected_quantity } = line
  const counted = waiting?.body.quantity ?? counted_quantity
  return { product_id, name: product_name, location_id, location_code, barcode, sku, counted, expected: expected_quantity }
}

const newLine = ({ body, about }: CountEntry): LevelLine => ({
  product_id: body.product_id,
  name: about.product_name,
  location_id: body.location_id,
  location_code: about.location_code,
  barcode: '',
  sku: null,
  counted: body.quantity,
  expected: null,
})
