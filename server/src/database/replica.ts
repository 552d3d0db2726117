import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { repeat, type PeriodicTask } from '../periodic.ts'
import { openDatabase, type Database } from './database.ts'
import { ConnectionFailure } from './errors.ts'
import { ReplicaLag } from './replica-lag.ts'
import { statement } from './statement.ts'

const POLL_MS = 100
const SAMPLE_MS = 1_000
const RECONNECT_MS = 1_000
const MAX_LAG_SECONDS = 10
/** What takes longer is left to the primary, which must answer in time, too. */
const STATEMENT_TIMEOUT_MS = 5_000
const WANTED = `interval '60 seconds'`

/** What a replica says of itself. */
interface Status {
  is_standby: boolean
  /** Up to where it has replayed the log, in bytes. */
  position: number
  mark: string | null
}

/** In this order: what is read after the position was, has everything up to it. */
const READ_STATUS = `
  select pg_is_in_recovery() as is_standby, coalesce(pg_last_wal_replay_lsn() - '0/0'::pg_lsn, 0)::bigint as position,
    (select mark from replicated_mark where tenant_id = 0) as mark`

/** On disk, so on its way to replicas: what else was written may wait for something to be committed after it. */
const sample = statement<[], { position: number; mark: string | null; is_ending: boolean | null }>(
  'sample_primary',
  `select (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint as position, m.mark, m.wanted_until < now() + ${WANTED} / 2 as is_ending
   from (values (0::bigint)) one (tenant_id) left join replica_mark m on m.tenant_id = one.tenant_id and m.wanted_until > now()`,
)

const makeMark = statement<[mark: string], never>(
  'make_replica_mark',
  `with made as (
     insert into replica_mark as m (tenant_id, mark, made_at, wanted_until) values (0, $1, clock_timestamp(), clock_timestamp() + ${WANTED})
     on conflict (tenant_id) do update
     set mark = excluded.mark, made_at = excluded.made_at, wanted_until = excluded.wanted_until where m.wanted_until <= now()
     returning mark
   )
   insert into replicated_mark (tenant_id, mark) select 0, mark from made on conflict (tenant_id) do update set mark = excluded.mark`,
)

const keepMark = statement<[mark: string], never>(
  'keep_replica_mark',
  `update replica_mark set wanted_until = clock_timestamp() + ${WANTED} where tenant_id = 0 and mark = $1`,
)

/**
 * A streaming replica of the database, and how far it is behind. It is asked for its position over one connection, ten times a second.
 * When that connection breaks, all others to it are given up with it: after a restart a replica may be further back than it was.
 */
export class Replica {
  readonly #primary: Pick<Database, 'run' | 'runAside'>
  readonly #url: string
  readonly #report: (message: string) => void
  readonly #stopping = new AbortController()
  readonly #tasks: PeriodicTask[]
  readonly #lag = new ReplicaLag()
  #current: { db: Database; status: Status } | undefined
  #reported: string | undefined

  constructor(primary: Pick<Database, 'run' | 'runAside'>, url: string, report: (message: string) => void) {
    this.#primary = primary
    this.#url = url
    this.#report = report
    this.#tasks = [
      repeat(
        RECONNECT_MS,
        () => this.#connect(),
        (error) => this.#tell(`is out of reach: ${reasonOf(error)}`),
      ),
      // A primary that can not be asked leaves the lag growing, until the replica is out of use.
      repeat(
        SAMPLE_MS,
        () => this.#samplePrimary(),
        () => {},
      ),
    ]
  }

  /** How old what the replica shows may be; undefined when it was never found to follow the primary. */
  get lagSeconds(): number | undefined {
    return this.#lag.seconds(performance.now())
  }

  /** It answers, and is not far behind. */
  get isUsable(): boolean {
    return this.#current?.status.is_standby === true && (this.lagSeconds ?? Infinity) <= MAX_LAG_SECONDS
  }

  /** The replica, when it is usable, follows the database that has this mark, and shows everything up to the position. */
  at(mark: string, position: number): Database | undefined {
    const current = this.#current
    if (!this.isUsable || current?.status.mark !== mark || current.status.position < position) return undefined
    return current.db
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#tasks.map((task) => task.stop()))
  }

  /** Connects, and asks until the connection breaks. */
  async #connect(): Promise<void> {
    const { signal } = this.#stopping
    const db = openDatabase(this.#url, { statementTimeoutMs: STATEMENT_TIMEOUT_MS })
    let client: pg.PoolClient | undefined
    try {
      client = await db.pool.connect()
      client.once('end', () => (this.#current = undefined))
      while (!signal.aborted) {
        await this.#poll(db, client)
        await delay(POLL_MS, undefined, { signal }).catch(() => {})
      }
    } finally {
      this.#current = undefined
      client?.release(true)
      // What is still asked may take its time, or find nobody who answers.
      const closed = db.close()
      if (signal.aborted) await closed
    }
  }

  async #poll(db: Database, client: pg.PoolClient): Promise<void> {
    const { rows } = await client.query<Status>(READ_STATUS)
    const status = rows[0] as Status
    this.#current = { db, status }
    if (!status.is_standby) return this.#tell('is not a standby')
    this.#lag.replayed(status.position)
    const lag = this.lagSeconds
    if (lag !== undefined) this.#tell(lag > MAX_LAG_SECONDS ? `is more than ${MAX_LAG_SECONDS} seconds behind` : 'is in use')
  }

  async #samplePrimary(): Promise<void> {
    const sampledAtMs = performance.now()
    const [row] = await this.#primary.run(sample, [])
    if (row === undefined) return
    this.#lag.sampled(row.position, sampledAtMs)
    if (row.mark === null) await this.#primary.runAside(makeMark, [randomUUID()])
    else if (row.is_ending === true) await this.#primary.runAside(keepMark, [row.mark])
  }

  /** Only what is new. */
  #tell(state: string): void {
    if (state === this.#reported) return
    this.#reported = state
    this.#report(`The replica ${state}`)
  }
}

function reasonOf(error: unknown): string {
  const reason = error instanceof ConnectionFailure && error.cause !== undefined ? error.cause : error
  return reason instanceof Error ? reason.message : String(reason)
}
