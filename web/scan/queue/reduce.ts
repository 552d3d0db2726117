import type { PickingFlow } from '@fulfillment/sdk'
import { isOf } from '../picking/walk.ts'
import type { CountEntry, Entry, NewEntry, NewGone, NewPick, NewReceipt, PickEntry, Refusal } from './entry.ts'

/** What happens to the queue. */
export type QueueEvent =
  /** The operator picked, completed a flow, received or counted. */
  | { type: 'add'; entry: NewEntry }
  /** The operator took a pick or a receipt back. */
  | { type: 'undo'; entry: NewPick | NewReceipt }
  /** The entry is about to be sent. */
  | { type: 'sending'; seq: number }
  /** The server carried it out, now or earlier. */
  | { type: 'done'; seq: number }
  /** No response, or none that says what became of it. */
  | { type: 'unanswered'; seq: number }
  | { type: 'refused'; seq: number; error: Refusal }
  /** Others ended the flow or gave it away, while the operator was picking it. */
  | { type: 'gone'; entry: NewGone; error: Refusal }
  /** A flow that was given away is this operator's again. */
  | { type: 'returned'; flow: Pick<PickingFlow, 'id' | 'operator_email'> }
  /** The page was opened: what was under way has an unknown outcome. */
  | { type: 'opened' }
  /** Ways out of a refusal. */
  | { type: 'again'; seq: number }
  | { type: 'elsewhere'; seq: number; pick_id: string; location_id: string; location_code: string }
  | { type: 'again as new'; seq: number; pick_id: string }
  | { type: 'put back'; seq: number }
  /** The flow was cancelled from here: everything of it is back. */
  | { type: 'cancelled'; flow_id: number }

const FRESH = { state: 'waiting', attempts: 0, error: null } as const

/** The queue after an event. Entries are ordered by `seq`, and each new one gets a larger `seq` than any before: `nextSeq`. */
export function reduce(entries: readonly Entry[], event: QueueEvent, nextSeq: number): readonly Entry[] {
  switch (event.type) {
    case 'add':
      return add(entries, event.entry, nextSeq)
    case 'undo':
      return undo(entries, event.entry, nextSeq)
    case 'sending':
      return change(entries, event.seq, (entry) => ({ ...entry, state: 'sending', attempts: entry.attempts + 1 }))
    case 'done':
      return done(entries, event.seq)
    case 'unanswered':
      return change(entries, event.seq, (entry) => ({ ...entry, state: 'waiting' }))
    case 'refused':
      return refuse(entries, event.seq, event.error)
    case 'gone':
      return gone(entries, event, nextSeq)
    case 'returned':
      return entries.filter((entry) => !isGivenBack(entry, event.flow))
    case 'opened':
      return entries.map((entry) => (entry.state === 'sending' ? { ...entry, state: 'waiting' } : entry))
    case 'cancelled':
      return entries.filter(({ flow_id }) => flow_id !== event.flow_id)
    default:
      return resolve(entries, event)
  }
}

/** The entry to send next. One is under way at a time, in their order; refused ones hold up only what depends on them. */
export function nextToSend(entries: readonly Entry[]): Entry | undefined {
  if (entries.some(({ state }) => state === 'sending')) return undefined
  return entries.find((entry) => entry.state === 'waiting' && !isHeldUp(entries, entry))
}

/** Entries that the operator has to decide on. */
export const problemsOf = (entries: readonly Entry[]): Entry[] => entries.filter(({ state }) => state === 'refused')

/** How many entries wait to be sent, or are being sent. */
export const countToSend = (entries: readonly Entry[]): number => entries.length - problemsOf(entries).length

/** How many scans the server does not know, or may not know. That a flow is gone is none of them. */
export const countUnsent = (entries: readonly Entry[]): number => entries.filter(({ kind }) => kind !== 'gone').length

function isHeldUp(entries: readonly Entry[], entry: Entry): boolean {
  if (entry.kind !== 'complete') return false
  return entries.some((other) => other !== entry && other.flow_id === entry.flow_id && other.kind !== 'gone')
}

function add(entries: readonly Entry[], entry: NewEntry, nextSeq: number): readonly Entry[] {
  const same = sameOf(entries, entry)
  // A flow is completed under no new id: who completes it again after a refusal sends the same entry again.
  if (same?.kind === 'complete' && same.state === 'refused') {
    const { operator_id, operator_email } = entry
    return change(entries, same.seq, (refused) => ({ ...refused, operator_id, operator_email, state: 'waiting', error: null }))
  }
  if (same !== undefined) return entries
  // What was counted before is not true any more; one that may be on its way is sent before this one.
  const isReplaced = (other: Entry): boolean =>
    entry.kind === 'count' && isSameLevel(other, entry) && (other.state === 'refused' || isUnknownToServer(other))
  return [...entries.filter((other) => !isReplaced(other)), { ...entry, ...FRESH, seq: nextSeq }]
}

function isSameLevel(other: Entry, { record, body }: Pick<CountEntry, 'record' | 'body'>): other is CountEntry {
  return (
    other.kind === 'count' &&
    other.record.id === record.id &&
    other.body.product_id === body.product_id &&
    other.body.location_id === body.location_id
  )
}

function done(entries: readonly Entry[], seq: number): readonly Entry[] {
  const entry = entries.find((other) => other.seq === seq)
  // With the undo, nothing is left to decide on a pick that was refused after an attempt of unknown outcome.
  if (entry?.kind === 'undo') return entries.filter(({ pick_id }) => pick_id !== entry.pick_id)
  return entries.filter((other) => other !== entry)
}

/** The entry that is there already. */
function sameOf(entries: readonly Entry[], { kind, flow_id, record, pick_id }: NewEntry): Entry | undefined {
  return entries.find(
    (other) =>
      other.kind === kind &&
      other.flow_id === flow_id &&
      other.record?.kind === record?.kind &&
      other.record?.id === record?.id &&
      other.pick_id === pick_id,
  )
}

function undo(entries: readonly Entry[], undone: NewPick | NewReceipt, nextSeq: number): readonly Entry[] {
  const pick = entries.find(({ kind, pick_id }) => kind !== 'undo' && pick_id === undone.pick_id)
  if (pick !== undefined && isUnknownToServer(pick)) return entries.filter((entry) => entry !== pick)
  if (sameOf(entries, undone) !== undefined) return entries
  // The outcome of the pick is unknown, or it was carried out: the undo is sent after it.
  return [...entries, { ...undone, ...FRESH, seq: nextSeq }]
}

/** Whether the server certainly has not carried the entry out. */
export function isUnknownToServer({ state, attempts, error }: Entry): boolean {
  return state === 'refused' ? error?.is_certain === true : attempts === 0
}

function refuse(entries: readonly Entry[], seq: number, error: Refusal): readonly Entry[] {
  const refused = entries.find((entry) => entry.seq === seq)
  const isUndone = entries.some((entry) => entry.kind === 'undo' && entry.pick_id === refused?.pick_id)
  // The operator has put it back already, and the server never took it.
  if (refused !== undefined && refused.kind !== 'undo' && isUndone && error.is_certain)
    return entries.filter(({ pick_id }) => pick_id !== refused.pick_id)
  // A later count of the same level waits.
  if (refused?.kind === 'count' && entries.some((other) => other.seq > seq && isSameLevel(other, refused)))
    return entries.filter((other) => other !== refused)
  return change(entries, seq, (entry) => ({ ...entry, state: 'refused', error }))
}

/** It says more than that the flow's end was refused, and what was said of the flow before is not true any more. */
function gone(
  entries: readonly Entry[],
  { entry, error }: { entry: NewGone; error: Refusal },
  nextSeq: number,
): readonly Entry[] {
  const isReplaced = ({ kind, flow_id }: Entry): boolean => flow_id === entry.flow_id && (kind === 'complete' || kind === 'gone')
  return [...entries.filter((other) => !isReplaced(other)), { ...entry, state: 'refused', attempts: 0, error, seq: nextSeq }]
}

const isGivenBack = (entry: Entry, flow: Pick<PickingFlow, 'id' | 'operator_email'>): boolean =>
  entry.kind === 'gone' && entry.flow_id === flow.id && entry.error?.reason === 'operator' && isOf(flow, entry.operator_email)

type Resolution = Extract<QueueEvent, { type: 'again' | 'elsewhere' | 'again as new' | 'put back' }>

function resolve(entries: readonly Entry[], event: Resolution): readonly Entry[] {
  const entry = entries.find(({ seq, state }) => seq === event.seq && state === 'refused')
  if (entry === undefined) return entries
  if (event.type === 'again') return change(entries, event.seq, (same) => ({ ...same, state: 'waiting', error: null }))
  if (event.type === 'put back') return putBack(entries, entry)
  // With a new pick_id only where the server certainly did not carry out the old one.
  if (entry.kind !== 'pick' || entry.error?.is_certain !== true) return entries
  return change(entries, event.seq, () => taken(entry, event))
}

function taken(entry: PickEntry, event: Extract<Resolution, { pick_id: string }>): Entry {
  const fresh: Entry = { ...entry, ...FRESH, pick_id: event.pick_id }
  if (event.type !== 'elsewhere') return fresh
  return {
    ...fresh,
    body: { ...entry.body, location_id: event.location_id },
    about: { ...entry.about, location_code: event.location_code },
  }
}

function putBack(entries: readonly Entry[], entry: Entry): readonly Entry[] {
  const others = entries.filter((other) => other !== entry)
  if (!(entry.kind === 'pick' || entry.kind === 'receipt') || entry.error?.is_certain === true) return others
  // An earlier attempt may have been carried out: its undo makes sure.
  return sameOf(others, { ...entry, kind: 'undo' }) === undefined
    ? change(entries, entry.seq, () => ({ ...entry, ...FRESH, kind: 'undo' }))
    : others
}

function change(entries: readonly Entry[], seq: number, to: (entry: Entry) => Entry): readonly Entry[] {
  return entries.map((entry) => (entry.seq === seq ? to(entry) : entry))
}
