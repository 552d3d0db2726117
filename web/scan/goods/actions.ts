import { isMissing } from '../../shared/is-unanswered.ts'
import { randomId } from '../../shared/random-id.ts'
import { goods } from '../../shared/texts/scan-goods-texts.ts'
import type { App, CodeHandler } from '../app/app.ts'
import { online } from '../app/calls.ts'
import { isRetriedLater } from '../app/retried-later.ts'
import { findBySku, findCode, productOf } from '../data/find.ts'
import { isOfRecord, type RecordKind, type RecordRef } from '../queue/entry.ts'
import type { Kept } from '../store/store.ts'
import { isUnconfirmed } from './counting.ts'
import { readLocations, searchLocation } from './locations.ts'
import {
  emptyRecordDraft,
  isOpen,
  type KnownLocation,
  type KnownRecord,
  nameOf,
  recordKey,
  type RecordRow,
  refOf,
} from './record.ts'
import type { Product } from './lines.ts'
import type { Step, Work } from './step.ts'
import { readWeighable } from './weighable.ts'

/** The record on this device. */
export const rowOf = ({ records }: Kept, ref: RecordRef): RecordRow | undefined => records.get(recordKey(ref))

/** Records of a kind on this device. */
export const rowsOf = ({ records }: Kept, kind: RecordKind): RecordRow[] =>
  [...records.values()].filter(({ known }) => known.kind === kind)

/** What a decision about a record needs to know; undefined if the record is not on this device, or nobody is signed in. */
export function workOf(kept: Kept, ref: RecordRef): Work<KnownRecord> | undefined {
  const row = rowOf(kept, ref)
  const operator = kept.session?.operator
  if (row === undefined || operator === null || operator === undefined) return undefined
  const { entries, locations, settings } = kept
  const { isLocationFirst } = settings
  return { ...row, entries, locations, operator, isLocationFirst, newId: randomId, now: new Date().toISOString() }
}

/** Decides on what the operator did with a record, stores it, and tells the outcome. Returns false if the decision knows nothing of it. */
export async function decide(
  app: App,
  ref: RecordRef,
  make: (work: Work<KnownRecord>) => Step | undefined,
  { at = performance.now(), scanned }: { at?: number; scanned?: string | undefined } = {},
): Promise<boolean> {
  let step: Step | undefined
  const isKept = await app.keep((kept) => {
    const work = workOf(kept, ref)
    const row = rowOf(kept, ref)
    step = work === undefined ? undefined : make(work)
    if (row === undefined || step === undefined || step.outcome === 'problem') return undefined
    return { events: step.events, records: new Map([[recordKey(ref), { ...row, draft: step.draft }]]) }
  }, at)
  if (!isKept) return true
  if (step === undefined) return false
  if (step.outcome === 'problem') app.stop({ ...step.problem, scanned }, at)
  else app.tell(step.outcome, step.text, at, scanned)
  return true
}

/** What becomes of codes on the screen of a record. */
interface Deciders {
  scan: (work: Work<KnownRecord>, texts: readonly string[]) => Step | undefined
  goTo: (work: Work<KnownRecord>, location: KnownLocation) => Step | undefined
  /** `quantity`: what the code stands for. */
  take: (work: Work<KnownRecord>, product: Product, quantity: number) => Step | undefined
}

/** Handles the scan of a location or a product. One that this device does not know is looked for on the server. */
export async function scanInRecord(
  app: App,
  ref: RecordRef,
  [texts, at, codes, begun]: Parameters<CodeHandler>,
  { scan, goTo, take }: Deciders,
): Promise<boolean> {
  const as = { at, scanned: texts[0] }
  if (await decide(app, ref, (work) => scan(work, texts), as)) return true
  if (!app.ui.isOnline) return false
  const { client } = app.api
  const find = async () => {
    const code = await findCode(client, texts, codes)
    const product = code && productOf(code)
    if (product !== undefined) return { product }
    // Locations are read page by page: for a code that is none, scans would wait long.
    return code?.location
      ? { location: await searchLocation(app, code.location.id) }
      : { product: await findBySku(client, texts) }
  }
  const found = await online(app, find, begun)
  // The operator knows by now that the search failed, or has left the record.
  if (found === undefined) return true
  const { product, location } = found
  if (product !== undefined) {
    const { id, name, weighable, quantity } = product
    // A scale that shows nothing.
    return quantity > 0 && (await decide(app, ref, (work) => take(work, { product_id: id, name, weighable }, quantity), as))
  }
  return location !== undefined && (await decide(app, ref, (work) => goTo(work, location), as))
}

/** Shows a record. One that is not on this device yet is read and stored, so that it can go on without a connection. */
export async function openRecord(app: App, ref: RecordRef, at = performance.now(), begun = app.begin()): Promise<void> {
  const held = rowOf(app.kept, ref)?.known
  const known = held ?? (await online(app, () => app.api.readRecord(ref)))
  if (known === undefined) return
  if (held === undefined) {
    if (!isOpen(known)) {
      app.stop({ message: goods.problem.over(nameOf(known), goods.states[known.record.state]) }, at)
      return
    }
    const row: RecordRow = { known, draft: emptyRecordDraft, sent: [] }
    if (!(await app.keep(() => ({ records: new Map([[recordKey(ref), row]]) }), at))) return
  }
  if (app.goOn(begun, { name: TILE_OF[ref.kind], record: ref.id })) app.tell('taken', goods.said.opened(nameOf(known)), at)
  void readLocations(app)
  if (known.kind !== 'count') void readWeighable(app, ref)
}

const TILE_OF = { inbound: 'receive', return: 'return', count: 'count-list' } as const

/**
 * Reads a record again, between two entries of the queue. While it is not known what became of an entry, its answer is waited for instead:
 * the record would count it, and so would the queue.
 */
export async function refreshRecord(app: App, ref: RecordRef): Promise<void> {
  const isInDoubt = (): boolean =>
    app.kept.entries.some((entry) => isOfRecord(entry, ref) && entry.state !== 'refused' && entry.attempts > 0)
  try {
    await app.sender.between(async () => {
      if (isInDoubt()) return
      const known = await app.api.readRecord(ref)
      await app.store.commit(({ records }) => {
        const row = records.get(recordKey(ref))
        return row === undefined ? undefined : { records: new Map([[recordKey(ref), { ...row, known }]]) }
      }, 'relaxed')
    })
  } catch (error) {
    if (!isRetriedLater(error)) throw error
    if (isMissing(error)) await forget(app, [ref])
  }
}

/** Whether the operator has begun with a record here. */
export function isBegun({ entries }: Kept, { known, draft, sent }: RecordRow): boolean {
  return (
    draft.item !== null || draft.place !== null || sent.length > 0 || entries.some((entry) => isOfRecord(entry, refOf(known)))
  )
}

/** Removes records that are over from the device, unless something of them is in hand or in the queue. */
export async function forgetOver(app: App, rows: readonly RecordRow[]): Promise<void> {
  const { entries } = app.kept
  const over = rows.filter(({ known, draft }) => !isOpen(known) && draft.item === null)
  await forget(
    app,
    over.map(({ known }) => refOf(known)).filter((ref) => !entries.some((entry) => isOfRecord(entry, ref))),
  )
}

/** Returns whether it is stored. */
async function forget(app: App, refs: readonly RecordRef[]): Promise<boolean> {
  if (refs.length === 0) return true
  const rows = new Map(refs.map((ref) => [recordKey(ref), null]))
  return await app.keep(() => ({ records: rows }))
}

/** Ends counting: the office looks at it. All that was counted must have been confirmed and sent. */
export async function submitCount(app: App, ref: RecordRef, name: string): Promise<void> {
  const at = performance.now()
  const begun = app.begin()
  const item = rowOf(app.kept, ref)?.draft.item
  // What was scanned or typed while Submit was asked.
  if (item && isUnconfirmed(item)) {
    app.stop({ message: goods.problem.confirmFirst(item.product_name) }, at)
    return
  }
  const unsent = app.kept.entries.filter((entry) => isOfRecord(entry, ref)).length
  if (unsent > 0) {
    app.stop({ message: goods.count.unsent(unsent) }, at)
    return
  }
  const isSubmitted = await online(app, () =>
    app.sender.between(async () => {
      await app.api.client.counts.submit(ref.id)
      return true
    }),
  )
  if (isSubmitted !== true || !(await forget(app, [ref]))) return
  app.goOn(begun, { name: 'count-list' })
  app.tell('order', goods.count.submitted(name), at)
}
