import { setTimeout as delay } from 'node:timers/promises'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { FeedBounds, FeedReader } from '../../procedures/context.ts'
import { judged, type Tick } from './ticks.ts'

interface TimedTick extends Tick {
  atMs: number
}

const TICK_MS = 100
/** How long ticks continue after a read of the feed. */
const FOLLOWED_MS = 5_000
/** From this age on, the last tick is too old to start from. */
const COLD_MS = 1_000
/** From this age of the oldest open tick on, ticks read the locks to find transactions without events. */
const HELD_BACK_MS = 250
/** How long a reader waits for the most recent events: longer than a transaction usually takes. */
const CATCH_UP_MS = 250
const FIRST_PAUSE_MS = 5
const PATIENCE_MS = 3_000

/**
 * SQL that identifies the running database server. A crash can reuse transaction and event numbers that were not on the disk; it also
 * resets the statistics. A replica that takes over has another start time.
 */
export const SERVER = `concat_ws(' ', pg_postmaster_start_time(), (select stats_reset from pg_stat_bgwriter))`

/** The next transaction number. A snapshot ends at the last completed transaction; `age` counts the transactions that began after it. */
export const NEXT_TRANSACTION = `pg_snapshot_xmax(pg_current_snapshot())::text::bigint + age(pg_snapshot_xmax(pg_current_snapshot())::xid)`

/** The last event number taken, of `event_sequence`. */
export const LATEST_NUMBER = 'case when is_called then last_value else last_value - 1 end'

const readLatest = statement<[], { server: string; latest: number }>({
  name: 'read_event_sequence',
  connection: 'read',
  sql: `select ${SERVER} as server, ${LATEST_NUMBER} as latest from event_sequence`,
})

const judgeTicks = statement<[withoutEvents: number[]], { server: string; next: number; oldest: number }>({
  name: 'judge_feed_ticks',
  connection: 'read',
  sql: `select ${SERVER} as server, n.next, coalesce((
     select min(number) from (
       select pg_snapshot_xip(pg_current_snapshot())::text::bigint as number
       union all
       select generate_series(pg_snapshot_xmax(pg_current_snapshot())::text::bigint, n.next - 1)
     ) running
     where number <> all ($1::bigint[])
   ), n.next) as oldest
   from (select ${NEXT_TRANSACTION} as next) n`,
})

/** Transactions in progress that have inserted no event yet. They do not hold back the feed, and may belong to another database. */
const findTransactionsWithoutEvents = statement<[], { number: number }>({
  name: 'find_transactions_without_events',
  connection: 'read',
  // A lock of this type always has a transaction id.
  notNull: ['number'],
  sql: `with held as materialized (
     select locktype, virtualtransaction, transactionid, database, relation, mode from pg_locks where locktype in ('transactionid', 'relation')
   )
   select n.next - age(h.transactionid) as number
   from (select ${NEXT_TRANSACTION} as next) n cross join held h
   where h.locktype = 'transactionid' and h.mode = 'ExclusiveLock' and not exists (
     select from held e
     where e.virtualtransaction = h.virtualtransaction and e.locktype = 'relation' and e.mode <> 'AccessShareLock'
       and e.relation = 'events'::regclass and e.database = (select oid from pg_database where datname = current_database())
   )`,
})

/** SQL for the number up to which a statement may read, given its parameters for the bounds; null on another server. */
export function readableUpTo(parameters: { [bound in keyof FeedBounds]: string }): string {
  const { server, final, latest } = parameters
  const isNobodyWriting = `pg_snapshot_xmin(pg_current_snapshot())::text::bigint = ${NEXT_TRANSACTION}`
  return `case when ${server}::text = ${SERVER} then case when ${isNobodyWriting} then greatest(${final}::bigint, ${latest}::bigint) else ${final}::bigint end end`
}

/**
 * Finds out how far the feed can be read without skipping an event that commits later.
 *
 * An event takes its number while its record is locked, so the events of one record are numbered in the order they happen. Across records,
 * transactions can commit in another order than their numbers. So at intervals a tick reads the last event number taken, and then the number
 * of the next transaction. A transaction has its own number before it takes event numbers, so that transaction and all later ones take
 * higher event numbers. Once all earlier transactions have ended, no new event up to the tick's number can appear.
 *
 * Transactions that have inserted no event are ignored: a transaction that has inserted an event holds a lock on the table until it ends.
 * They are read after the tick and before the snapshot that judges it, because a transaction that is ending releases its locks one by one.
 *
 * A final number stays final, so server processes need not agree. A quiet database needs no ticks: when no transaction is in progress, all
 * numbers taken so far are final.
 */
export class FeedHorizon implements FeedReader {
  readonly #db: Pick<Queryable, 'run' | 'runOne'>
  #server: string | undefined
  #final: number | undefined
  #ticks: TimedTick[] = []
  #lastTickMs = -Infinity
  #lastReadMs = -Infinity
  /** Whether the last tick ignored transactions: then every tick reads the locks. */
  #passesOver = false
  #warming: Promise<void> | undefined
  #catchingUp: Promise<unknown> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(db: Pick<Queryable, 'run' | 'runOne'>) {
    this.#db = db
  }

  /** The bounds for a statement that begins now. Throws `service_unavailable` when they are not known. */
  async bounds(): Promise<FeedBounds> {
    this.#lastReadMs = performance.now()
    const { server, latest } = await this.#readLatest()
    if (this.#final === undefined || performance.now() - this.#lastTickMs > COLD_MS) await this.#warmUp()
    this.#follow()
    if (this.#final === undefined || this.#server !== server) throw held()
    return { server, latest, final: this.#final }
  }

  /**
   * Waits a limited time until all events up to this number can be read, so that a caller usually sees the events of its own last call even
   * while others write.
   */
  async catchUp(latest: number): Promise<void> {
    const giveUpAtMs = performance.now() + CATCH_UP_MS
    for (let pauseMs = FIRST_PAUSE_MS; (this.#final ?? -1) < latest && performance.now() < giveUpAtMs; pauseMs *= 2) {
      const looksAtLocks = pauseMs > FIRST_PAUSE_MS
      this.#catchingUp ??= delay(pauseMs)
        .then(() => this.#tick(looksAtLocks))
        .finally(() => (this.#catchingUp = undefined))
      await this.#catchingUp
    }
  }

  /** Stores how far a statement read, so that no later page ends before it. */
  wasRead(server: string, upTo: number | null | undefined): void {
    if (server === this.#server && typeof upTo === 'number') this.#final = Math.max(this.#final ?? 0, upTo)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#lastReadMs = -Infinity
  }

  /** Ticks until the first tick is final, for a limited time: an earlier bound stays valid. */
  #warmUp(): Promise<void> {
    const warmUp = async (): Promise<void> => {
      const { latest } = await this.#tick(false)
      const giveUpAtMs = performance.now() + (this.#final === undefined ? PATIENCE_MS : COLD_MS)
      for (let pauseMs = FIRST_PAUSE_MS; (this.#final ?? -1) < latest && performance.now() < giveUpAtMs; pauseMs *= 2) {
        await delay(Math.min(pauseMs, TICK_MS))
        await this.#tick(true)
      }
    }
    return (this.#warming ??= warmUp().finally(() => (this.#warming = undefined)))
  }

  #follow(): void {
    this.#timer ??= setTimeout(() => void this.#tickAgain(), TICK_MS).unref()
  }

  async #tickAgain(): Promise<void> {
    const oldestMs = this.#ticks[0]?.atMs ?? Infinity
    // An error here also occurs for the next reader, which reports it.
    await this.#tick(this.#passesOver || performance.now() - oldestMs > HELD_BACK_MS).catch(() => {})
    this.#timer = undefined
    if (performance.now() - this.#lastReadMs < FOLLOWED_MS) this.#follow()
  }

  async #tick(looksAtLocks: boolean): Promise<{ latest: number }> {
    const atMs = performance.now()
    const { server, latest } = await this.#readLatest()
    const passed = looksAtLocks ? await this.#db.run(findTransactionsWithoutEvents, []) : []
    this.#passesOver = passed.length > 0
    const row = await this.#db.runOne(judgeTicks, [passed.map(({ number }) => number)])
    if (row === undefined || row.server !== server || this.#server !== server) throw held()
    this.#lastTickMs = performance.now()
    const { final, open } = judged([...this.#ticks, { latest, next: row.next, atMs }], row.oldest)
    if (final !== undefined) this.#final = Math.max(this.#final ?? 0, final)
    this.#ticks = open
    return { latest }
  }

  /** Reads the last event number; forgets the bounds of another server. */
  async #readLatest(): Promise<{ server: string; latest: number }> {
    const row = await this.#db.runOne(readLatest, [])
    if (row === undefined) throw held()
    if (row.server !== this.#server) {
      this.#server = row.server
      this.#final = undefined
      this.#ticks = []
    }
    return row
  }
}

function held(): ServiceError {
  return new ServiceError(
    'service_unavailable',
    'The event feed is waiting for a transaction that began before this server started; try again',
    {
      retryAfterSeconds: 1,
    },
  )
}
