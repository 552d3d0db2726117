import type { WeightPattern } from '@fulfillment/codes/weight-barcode.ts'
import type { SentRow } from '../app/unanswered.ts'
import { type KnownLocation, type RecordRow, recordKey, refOf } from '../goods/record.ts'
import type { Draft } from '../picking/draft.ts'
import type { Entry } from '../queue/entry.ts'
import { type QueueEvent, reduce } from '../queue/reduce.ts'
import {
  type Binding,
  bindingOf,
  type DeviceSession,
  type FlowRow,
  isNamed,
  type KnownOperator,
  type LogRow,
  type Meta,
  openScanDatabase,
  type ScanDatabase,
  TABLES,
} from './database.ts'
import { DEFAULT_SETTINGS, type Settings } from './settings.ts'

/** All that the device keeps for its tenant and mode. Immutable: a commit makes a new one. */
export interface Kept {
  session: DeviceSession | null
  settings: Settings
  devices: Meta['devices']
  entries: readonly Entry[]
  flows: ReadonlyMap<number, FlowRow>
  drafts: ReadonlyMap<number, Draft>
  operators: readonly KnownOperator[]
  /** Deliveries, returns and counts by `recordKey`. */
  records: ReadonlyMap<string, RecordRow>
  /** Locations that may be scanned without a connection. */
  locations: readonly KnownLocation[]
  weights: Meta['weights']
  sent: Meta['sent']
  doubts: Meta['doubts']
}

/** The tenant's barcodes that contain a weight, as far as this device knows. */
export const weightPatternsOf = ({ session, weights }: Kept): readonly WeightPattern[] =>
  (session === null ? undefined : weights[bindingOf(session)]) ?? []

/** What a commit changes. Null removes a row. */
export interface Changes {
  events?: readonly QueueEvent[]
  flows?: ReadonlyMap<number, FlowRow | null>
  drafts?: ReadonlyMap<number, Draft | null>
  session?: DeviceSession | null
  settings?: Settings
  device?: { id: number; secret: string }
  operator?: KnownOperator
  log?: readonly LogRow[]
  records?: ReadonlyMap<string, RecordRow | null>
  locations?: readonly KnownLocation[]
  weightPatterns?: readonly WeightPattern[]
  sent?: { owner: string; row: SentRow | undefined }
  doubts?: Meta['doubts']
}

/** Another tab works with the database: this one may not write any more. */
export class TakenOverError extends Error {
  override name = 'TakenOverError'
}

type Durability = 'strict' | 'relaxed'
type Transaction = ReturnType<typeof begin>

const begin = (database: ScanDatabase, durability: Durability) => database.transaction(TABLES, 'readwrite', { durability })

/**
 * The device's state: in memory for the screens, and in IndexedDB. A commit is in both or in neither; commits run one after the other, and
 * each checks that no other tab has taken over since.
 */
export class Store {
  kept: Kept
  #database: ScanDatabase
  readonly #owner: string
  readonly #listeners = new Set<() => void>()
  #last: Promise<unknown> = Promise.resolve()
  // Larger than that of any entry ever seen, so that the response for an entry that is gone never meets another one.
  #nextSeq = 1

  private constructor(database: ScanDatabase, owner: string, kept: Kept) {
    this.#database = database
    this.#owner = owner
    this.kept = kept
  }

  /** Opens the store and becomes its one writer. */
  static async open(): Promise<Store> {
    const database = await openScanDatabase()
    const owner = crypto.getRandomValues(new BigUint64Array(2)).join('-')
    const transaction = begin(database, 'strict')
    await transaction.objectStore('meta').put(owner, 'owner')
    const kept = await load(transaction)
    await transaction.done
    const store = new Store(database, owner, kept)
    store.#nextSeq = nextAfter(kept.entries)
    return store
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Commits what `change` makes of the state before. Resolves when it is on the disk (`relaxed`: with the system), to what `change` returned.
   */
  commit<C extends Changes | undefined>(change: (kept: Kept) => C, durability: Durability = 'strict'): Promise<C> {
    const commit = this.#last.then(() => this.#commit(change, durability))
    this.#last = commit.catch(() => undefined)
    return commit
  }

  /** What was dropped on this device under its tenant and mode, latest first. */
  async log(): Promise<LogRow[]> {
    const binding = bindingOfKept(this.kept)
    const transaction = await this.#begin('relaxed')
    const rows = await transaction.objectStore('log').getAll()
    return rows.filter((row) => row.binding === binding).toReversed()
  }

  async #commit<C extends Changes | undefined>(change: (kept: Kept) => C, durability: Durability): Promise<C> {
    const changes = change(this.kept)
    if (changes === undefined) return changes
    const after = this.#after(changes)
    const transaction = await this.#begin(durability)
    try {
      // The requests run in order: the first one aborts the others in time.
      const owner = transaction.objectStore('meta').get('owner')
      write(transaction, this.kept, after, changes)
      if ((await owner) !== this.#owner) throw new TakenOverError()
      // Another tenant's enrolment: its own rows are read.
      const isOther = bindingOfKept(after) !== bindingOfKept(this.kept)
      const kept = isOther ? await load(transaction) : after
      await transaction.done
      this.kept = kept
      if (isOther) this.#nextSeq = Math.max(this.#nextSeq, nextAfter(kept.entries))
    } catch (error) {
      abort(transaction)
      throw error
    }
    for (const listener of this.#listeners) listener()
    return changes
  }

  /** A browser closes the connection when its storage has failed, in Safari also while the app is in the background. */
  async #begin(durability: Durability): Promise<Transaction> {
    try {
      return begin(this.#database, durability)
    } catch (error) {
      if (!isNamed(error, 'InvalidStateError')) throw error
    }
    this.#database = await openScanDatabase().catch((error: unknown) => {
      // A newer build has the database.
      throw isNamed(error, 'VersionError') ? new TakenOverError() : error
    })
    return begin(this.#database, durability)
  }

  #after(changes: Changes): Kept {
    const before = this.kept
    const { session = before.session, settings = before.settings, device, operator } = changes
    let { entries } = before
    for (const event of changes.events ?? []) entries = reduce(entries, event, this.#nextSeq++)
    return {
      session: changes.session === null ? null : session,
      settings,
      devices: device === undefined || session === null ? before.devices : { ...before.devices, [bindingOf(session)]: device },
      entries,
      flows: merged(before.flows, changes.flows),
      drafts: merged(before.drafts, changes.drafts),
      operators:
        operator === undefined ? before.operators : [...before.operators.filter(({ id }) => id !== operator.id), operator],
      records: merged(before.records, changes.records),
      locations: changes.locations ?? before.locations,
      weights:
        changes.weightPatterns === undefined || session === null
          ? before.weights
          : { ...before.weights, [bindingOf(session)]: changes.weightPatterns },
      sent: changes.sent === undefined ? before.sent : withSent(before.sent, changes.sent),
      doubts: changes.doubts ?? before.doubts,
    }
  }
}

function withSent(before: Meta['sent'], { owner, row }: NonNullable<Changes['sent']>): Meta['sent'] {
  const { [owner]: _, ...others } = before
  return row === undefined ? others : { ...others, [owner]: row }
}

const MAX_LOGGED = 200

const nextAfter = (entries: readonly Entry[]): number => entries.reduce((most, { seq }) => Math.max(most, seq), 0) + 1

/** The tenant and mode that the device is enrolled with. */
export const bindingOfKept = ({ session }: Kept): Binding | undefined => (session === null ? undefined : bindingOf(session))

/** Rows of a binding: no key is larger than a list as its second part. */
const rowsOf = (binding: Binding): IDBKeyRange => IDBKeyRange.bound([binding], [binding, []])

/** Reads what is kept for the device's session. */
async function load(transaction: Transaction): Promise<Kept> {
  const meta = transaction.objectStore('meta')
  const session = ((await meta.get('session')) ?? null) as DeviceSession | null
  const binding = session === null ? '' : bindingOf(session)
  const range = rowsOf(binding)
  const [settings, devices, weights, sent, doubts, entries, flows, drafts, operators, records, locations] = await Promise.all([
    meta.get('settings') as Promise<Settings | undefined>,
    meta.get('devices') as Promise<Meta['devices'] | undefined>,
    meta.get('weights') as Promise<Meta['weights'] | undefined>,
    meta.get('sent') as Promise<Meta['sent'] | undefined>,
    meta.get('doubts') as Promise<Meta['doubts'] | undefined>,
    loadQueue(transaction, binding),
    transaction.objectStore('flows').getAll(range),
    transaction.objectStore('drafts').getAll(range),
    transaction.objectStore('operators').getAll(range),
    transaction.objectStore('records').getAll(range),
    transaction.objectStore('places').get(binding),
  ])
  return {
    session,
    settings: { ...DEFAULT_SETTINGS, ...settings },
    devices: devices ?? {},
    weights: weights ?? {},
    sent: sent ?? {},
    doubts: doubts ?? {},
    entries,
    flows: new Map(flows.map((row) => [row.flow.id, row])),
    drafts: new Map(drafts.map((draft) => [draft.flow_id, draft])),
    operators,
    records: new Map(records.map((row) => [recordKey(refOf(row.known)), row])),
    locations: locations ?? [],
  }
}

/** What was under way when the page went, or when the device was removed, waits again. */
async function loadQueue(transaction: Transaction, binding: Binding): Promise<readonly Entry[]> {
  const queue = transaction.objectStore('queue')
  const before = await queue.getAll(rowsOf(binding))
  const entries = reduce(before, { type: 'opened' }, 0)
  for (const [seq, entry] of differences(before, entries)) if (entry !== null) await queue.put(entry, [binding, seq])
  return entries
}

/** Requests of one transaction: its end tells whether they succeeded. */
function write(transaction: Transaction, before: Kept, after: Kept, changes: Changes): void {
  const requests: Promise<unknown>[] = []
  const meta = transaction.objectStore('meta')
  if (after.session !== before.session) requests.push(meta.put(after.session, 'session'))
  if (after.settings !== before.settings) requests.push(meta.put(after.settings, 'settings'))
  if (after.devices !== before.devices) requests.push(meta.put(after.devices, 'devices'))
  if (after.weights !== before.weights) requests.push(meta.put(after.weights, 'weights'))
  if (after.sent !== before.sent) requests.push(meta.put(after.sent, 'sent'))
  if (after.doubts !== before.doubts) requests.push(meta.put(after.doubts, 'doubts'))
  const binding = bindingOfKept(after) ?? bindingOfKept(before)
  if (binding !== undefined) {
    const put = <T extends 'queue' | 'flows' | 'drafts'>(table: T, id: number, row: Row[T] | null): void => {
      const rows = transaction.objectStore(table)
      requests.push(row === null ? rows.delete([binding, id]) : rows.put(row, [binding, id]))
    }
    for (const [seq, entry] of differences(before.entries, after.entries)) put('queue', seq, entry)
    for (const [id, row] of changes.flows ?? []) put('flows', id, row)
    for (const [id, draft] of changes.drafts ?? []) put('drafts', id, draft)
    for (const [key, row] of changes.records ?? []) {
      const rows = transaction.objectStore('records')
      requests.push(row === null ? rows.delete([binding, key]) : rows.put(row, [binding, key]))
    }
    if (changes.locations !== undefined) requests.push(transaction.objectStore('places').put(changes.locations, binding))
    const { operator } = changes
    if (operator !== undefined) requests.push(transaction.objectStore('operators').put(operator, [binding, operator.id]))
  }
  for (const row of changes.log ?? []) requests.push(addToLog(transaction, { ...row, ...(binding && { binding }) }))
  // A failed request aborts the transaction, whose `done` rejects.
  for (const request of requests) request.catch(() => undefined)
}

/** Only the latest rows stay: the log shares its space with the queue, which must not be lost. */
async function addToLog(transaction: Transaction, row: LogRow): Promise<void> {
  const log = transaction.objectStore('log')
  const key = await log.add(row)
  await log.delete(IDBKeyRange.upperBound(key - MAX_LOGGED))
}

interface Row {
  queue: Entry
  flows: FlowRow
  drafts: Draft
}

function differences(before: readonly Entry[], after: readonly Entry[]): Map<number, Entry | null> {
  const changed = new Map<number, Entry | null>()
  if (before === after) return changed
  const old = new Map(before.map((entry) => [entry.seq, entry]))
  for (const entry of after) {
    if (old.get(entry.seq) !== entry) changed.set(entry.seq, entry)
    old.delete(entry.seq)
  }
  for (const seq of old.keys()) changed.set(seq, null)
  return changed
}

function merged<K, T>(before: ReadonlyMap<K, T>, changes: ReadonlyMap<K, T | null> | undefined): ReadonlyMap<K, T> {
  if (changes === undefined) return before
  const after = new Map(before)
  for (const [id, row] of changes) {
    if (row === null) after.delete(id)
    else after.set(id, row)
  }
  return after
}

function abort(transaction: Transaction): void {
  // It rejects with the abort, of which the caller knows.
  transaction.done.catch(() => undefined)
  try {
    transaction.abort()
  } catch {
    // It has ended already.
  }
}
