import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { repeat, type PeriodicTask } from '../../runtime/periodic.ts'
import { openDatabase, type Database } from '../database.ts'
import { DatabaseConnectionError } from '../errors.ts'
import { ReplicaLag } from './replica-lag.ts'
import { queryOf, statement } from '../statements/statement.ts'

const POLL_MS = 100
const SAMPLE_MS = 1_000
const RECONNECT_MS = 1_000
const MAX_LAG_SECONDS = 10
/** Longer queries are cancelled and sent to the primary, which must still respond in time. */
const STATEMENT_TIMEOUT_MS = 5_000
const WANTED = `interval '60 seconds'`

/** The state reported by a replica. */
interface Status {
  is_standby: boolean
  /** The replayed position of the write-ahead log, in bytes. */
  position: number
  mark: string | null
}

/** The order matters: a mark read after the position is at least as new as the position. */
const readStatus = statement<[], Status>({
  name: 'read_replica_status',
  connection: 'read',
  sql: `select pg_is_in_recovery() as is_standby, coalesce(pg_last_wal_replay_lsn() - '0/0'::pg_lsn, 0)::bigint as position,
    (select mark from replicated_mark where tenant_id = 0) as mark`,
})

/** The flushed position: only flushed log is sent to replicas, and unsynced writes may be flushed much later. */
const sample = statement<[], { position: number; mark: string | null; is_ending: boolean | null }>({
  name: 'sample_primary',
  connection: 'read',
  sql: `select (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint as position, m.mark, m.wanted_until < now() + ${WANTED} / 2 as is_ending
   from (values (0::bigint)) one (tenant_id) left join replica_mark m on m.tenant_id = one.tenant_id and m.wanted_until > now()`,
})

const makeMark = statement<[mark: string], never>({
  name: 'make_replica_mark',
  connection: 'unsynced',
  sql: `with made as (
     insert into replica_mark as m (tenant_id, mark, made_at, wanted_until) values (0, $1, clock_timestamp(), clock_timestamp() + ${WANTED})
     on conflict (tenant_id) do update
     set mark = excluded.mark, made_at = excluded.made_at, wanted_until = excluded.wanted_until where m.wanted_until <= now()
     returning mark
   )
   insert into replicated_mark (tenant_id, mark) select 0, mark from made on conflict (tenant_id) do update set mark = excluded.mark`,
})

const keepMark = statement<[mark: string], never>({
  name: 'keep_replica_mark',
  connection: 'unsynced',
  sql: `update replica_mark set wanted_until = clock_timestamp() + ${WANTED} where tenant_id = 0 and mark = $1`,
})

/**
 * A streaming replica of the database, and its lag. Its position is queried over one connection, ten times a second. If that connection
 * breaks, all others are closed too: after a restart, a replica may be further behind than before.
 */
export class Replica {
  readonly #primary: Pick<Database, 'run'>
  readonly #url: string
  readonly #report: (message: string) => void
  readonly #stopping = new AbortController()
  readonly #tasks: PeriodicTask[]
  readonly #lag = new ReplicaLag()
  #current: { db: Database; status: Status } | undefined
  #reported: string | undefined

  constructor(primary: Pick<Database, 'run'>, url: string, report: (message: string) => void) {
    this.#primary = primary
    this.#url = url
    this.#report = report
    this.#tasks = [
      repeat(
        RECONNECT_MS,
        () => this.#connect(),
        (error) => this.#tell(`is out of reach: ${reasonOf(error)}`),
      ),
      // Without the primary's position the lag grows until the replica is no longer used.
      repeat(
        SAMPLE_MS,
        () => this.#samplePrimary(),
        () => {},
      ),
    ]
  }

  /** The maximum age of the replica's data; undefined if it was never found to follow the primary. */
  get lagSeconds(): number | undefined {
    return this.#lag.seconds(performance.now())
  }

  /** Whether it responds and its lag is small. */
  get isUsable(): boolean {
    return this.#current?.status.is_standby === true && (this.lagSeconds ?? Infinity) <= MAX_LAG_SECONDS
  }

  /** The replica if it is usable, follows the database with this mark, and has replayed the log up to the position. */
  at(mark: string, position: number): Database | undefined {
    const current = this.#current
    if (!this.isUsable || current?.status.mark !== mark || current.status.position < position) return undefined
    return current.db
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#tasks.map((task) => task.stop()))
  }

  /** Connects, and polls until the connection breaks. */
  async #connect(): Promise<void> {
    const { signal } = this.#stopping
    const db = openDatabase(this.#url, { statementTimeoutMs: STATEMENT_TIMEOUT_MS })
    let client: pg.PoolClient | undefined
    try {
      client = await db.dedicatedPool.connect()
      client.once('end', () => (this.#current = undefined))
      while (!signal.aborted) {
        await this.#poll(db, client)
        await delay(POLL_MS, undefined, { signal }).catch(() => {})
      }
    } finally {
      this.#current = undefined
      client?.release(true)
      // Queries in progress may take long, or never get a response.
      const closed = db.close()
      if (signal.aborted) await closed
    }
  }

  async #poll(db: Database, client: pg.PoolClient): Promise<void> {
    const { rows } = await client.query<Status>(queryOf(readStatus, []))
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
    if (row.mark === null) await this.#primary.run(makeMark, [randomUUID()])
    else if (row.is_ending === true) await this.#primary.run(keepMark, [row.mark])
  }

  /** Reports the state when it has changed. */
  #tell(state: string): void {
    if (state === this.#reported) return
    this.#reported = state
    this.#report(`The replica ${state}`)
  }
}

function reasonOf(error: unknown): string {
  const reason = error instanceof DatabaseConnectionError && error.cause !== undefined ? error.cause : error
  return reason instanceof Error ? reason.message : String(reason)
}
