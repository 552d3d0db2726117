import { setTimeout as delay } from 'node:timers/promises'
import type { Queryable } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'

/** Up to where the feed may be read. Numbers are those of events. */
export interface FeedBounds {
  /** The database server, and the time since it last lost anything: the bounds hold for no other. */
  server: string
  /** No event up to this number can still appear. */
  final: number
  /** The last number that was taken. No event up to it can still appear if a later snapshot shows no transaction in progress. */
  latest: number
}

/** At a moment all transactions below `next` had begun, and the last number taken was `latest`. */
interface Tick {
  latest: number
  next: number
  atMs: number
}

const TICK_MS = 100
/** How long ticks go on after the feed was read. */
const FOLLOWED_MS = 5_000
/** By then the last tick is too old to start from. */
const COLD_MS = 1_000
/** From then on locks are looked at, to find out who holds the feed back. */
const HELD_BACK_MS = 250
/** How long a reader waits for the events of just now: longer than a transaction usually takes. */
const CATCH_UP_MS = 250
const MAX_TICKS = 100
const FIRST_PAUSE_MS = 5
const PATIENCE_MS = 3_000

/**
 * SQL for the database server. Transactions and event numbers that were not on the disk are given again after a crash, which also begins
 * new statistics; a replica that takes over was started at another time.
 */
const SERVER = `concat_ws(' ', pg_postmaster_start_time(), (select stats_reset from pg_stat_bgwriter))`

/** The next transaction's number. A snapshot ends with the last completed one, behind which others may have begun: `age` counts them. */
const NEXT_TRANSACTION = `pg_snapshot_xmax(pg_current_snapshot())::text::bigint + age(pg_snapshot_xmax(pg_current_snapshot())::xid)`

const readLatest = statement<[], { server: string; latest: number }>(
  'read_event_sequence',
  `select ${SERVER} as server, case when is_called then last_value else last_value - 1 end as latest from event_sequence`,
)

const judgeTicks = statement<[withoutEvents: number[]], { server: string; next: number; oldest: number }>(
  'judge_feed_ticks',
  `select ${SERVER} as server, n.next, coalesce((
     select min(number) from (
       select pg_snapshot_xip(pg_current_snapshot())::text::bigint as number
       union all
       select generate_series(pg_snapshot_xmax(pg_current_snapshot())::text::bigint, n.next - 1)
     ) running
     where number <> all ($1::bigint[])
   ), n.next) as oldest
   from (select ${NEXT_TRANSACTION} as next) n`,
)

/** Transactions in progress that have inserted no event so far. They hold back nothing, and may be those of another database. */
const findTransactionsWithoutEvents = statement<[], { number: number }>(
  'find_transactions_without_events',
  `with held as materialized (
     select locktype, virtualtransaction, transactionid, database, relation, mode from pg_locks where locktype in ('transactionid', 'relation')
   )
   select n.next - age(h.transactionid) as number
   from (select ${NEXT_TRANSACTION} as next) n cross join held h
   where h.locktype = 'transactionid' and h.mode = 'ExclusiveLock' and not exists (
     select from held e
     where e.virtualtransaction = h.virtualtransaction and e.locktype = 'relation' and e.mode <> 'AccessShareLock'
       and e.relation = 'events'::regclass and e.database = (select oid from pg_database where datname = current_database())
   )`,
)

/** SQL for the number up to which a statement may read, of which these are the parameters; null for another server. */
export function readableUpTo(parameters: { [bound in keyof FeedBounds]: string }): string {
  const { server, final, latest } = parameters
  const isNobodyWriting = `pg_snapshot_xmin(pg_current_snapshot())::text::bigint = ${NEXT_TRANSACTION}`
  return `case when ${server}::text = ${SERVER} then case when ${isNobodyWriting} then greatest(${final}::bigint, ${latest}::bigint) else ${final}::bigint end end`
}

/**
 * Finds out up to where the feed can be read without passing over an event that is committed later.
 *
 * An event takes its number while its record is locked, so the events of one record are numbered in the order in which they happened.
 * Between records, transactions commit in another order than that of numbers. So from time to time (a tick) the last number taken is read,
 * and then the number of the next transaction: transactions from that one on take higher event numbers, as each has its own number first.
 * When those before it have ended, no event up to the tick's number can appear any more.
 *
 * Transactions that have inserted no event are passed over: who has inserted one holds a lock on the table until the end. They are looked
 * for after the tick, and before the snapshot that judges it: one that ends in between gives its locks back one by one.
 *
 * What is final stays final, so server processes need not agree. Quiet databases need no ticks: when no transaction is in progress, all
 * numbers that were taken before are final.
 */
export class FeedHorizon {
  readonly #db: Pick<Queryable, 'run' | 'runOne'>
  #server: string | undefined
  #final: number | undefined
  #ticks: Tick[] = []
  #lastTickMs = -Infinity
  #lastReadMs = -Infinity
  /** Whether the last look found transactions to pass over: then every tick looks. */
  #passesOver = false
  #warming: Promise<void> | undefined
  #catchingUp: Promise<unknown> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(db: Pick<Queryable, 'run' | 'runOne'>) {
    this.#db = db
  }

  /** What a statement that begins now may read. Throws `service_unavailable` when that can not be found out. */
  async bounds(): Promise<FeedBounds> {
    this.#lastReadMs = performance.now()
    const { server, latest } = await this.#readLatest()
    if (this.#final === undefined || performance.now() - this.#lastTickMs > COLD_MS) await this.#warmUp()
    this.#follow()
    if (this.#final === undefined || this.#server !== server) throw held()
    return { server, latest, final: this.#final }
  }

  /**
   * Waits until all events up to this number can be read, unless a transaction holds them back for long: so that a caller usually sees the
   * events of its own last call, whatever others write meanwhile.
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

  /** Keeps how far a statement read, so that no later page ends before it. */
  wasRead(server: string, upTo: number | null | undefined): void {
    if (server === this.#server && typeof upTo === 'number') this.#final = Math.max(this.#final ?? 0, upTo)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#lastReadMs = -Infinity
  }

  /** Ticks until the first one is final, but not for ever: an earlier bound holds still. */
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
    // What fails here fails for the next reader too, who is told.
    await this.#tick(this.#passesOver || performance.now() - oldestMs > HELD_BACK_MS).catch(() => {})
    this.#timer = undefined
    if (performance.now() - this.#lastReadMs < FOLLOWED_MS) this.#follow()
  }

  async #tick(looksAtLocks: boolean): Promise<{ latest: number }> {
    const atMs = performance.now()
    const { server, latest } = await this.#readLatest()
    const passed = looksAtLocks ? await this.#db.run(findTransactionsWithoutEvents, []) : []
    this.#passesOver = passed.length > 0
    const judged = await this.#db.runOne(judgeTicks, [passed.map(({ number }) => number)])
    if (judged === undefined || judged.server !== server || this.#server !== server) throw held()
    this.#lastTickMs = performance.now()
    this.#ticks.push({ latest, next: judged.next, atMs })
    for (const tick of this.#ticks) if (tick.next <= judged.oldest) this.#final = Math.max(this.#final ?? 0, tick.latest)
    this.#ticks = this.#ticks.filter(({ next }) => next > judged.oldest)
    // While the feed is held back for long, ticks may be further apart.
    if (this.#ticks.length > MAX_TICKS) this.#ticks = this.#ticks.filter((_, index) => index % 2 === 0)
    return { latest }
  }

  /** Forgets what was found out about another server. */
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
    'The event feed waits for a transaction that began before this server; try again',
    {
      retryAfterSeconds: 1,
    },
  )
}
