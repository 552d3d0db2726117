import { randomUUID } from 'node:crypto'
import { repeat, type PeriodicTask } from '../periodic.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

/** An API key of a tenant. */
export interface PositionKey {
  readonly tenantId: number
  readonly keyId: number
}

/** A change that is under way. */
export interface Change {
  /** Resolves when every server process can know of it. The change must not be made before that, nor when it is rejected. */
  readonly noted: Promise<void>
  /** The change is over: it was committed or not, or nobody knows. */
  end(): void
}

/** What is known of a key that changes something, or has just done so. */
interface Noted extends PositionKey {
  number: number
  underWay: number
  notedAtMs: number
  noted: Promise<void>
}

/** A replica that has not seen this is never asked. */
const UNREACHED = Number.MAX_SAFE_INTEGER
/** Longer than the lag of any replica in use, and than a statement of a process that died may still run. */
const EXPIRES = `interval '60 seconds'`
const RENEW_MS = 20_000
const RECORD_EVERY_MS = 100
const CHECK_EVERY_MS = 1_000
/** A process that could not find out for so long keeps positions, to be safe. Less than the time after which a mark is settled. */
const CHECK_VALID_MS = 2_500
const CLEAN_EVERY_MS = 60_000

const isWanted = statement<[], { is_wanted: boolean }>(
  'are_write_positions_wanted',
  `select exists (select from replica_mark where tenant_id = 0 and wanted_until > now()) as is_wanted`,
)

const upsert = (name: string, position: string) =>
  statement<[serverId: string, tenantIds: number[], keyIds: number[], numbers: number[]], never>(
    name,
    `insert into write_positions as w (tenant_id, key_id, server_id, position, number, expires_at)
     select tenant_id, key_id, $1::uuid, ${position}, number, clock_timestamp() + ${EXPIRES}
     from unnest($2::bigint[], $3::bigint[], $4::bigint[]) k (tenant_id, key_id, number)
     on conflict (tenant_id, key_id, server_id) do update
     set position = excluded.position, number = excluded.number, expires_at = excluded.expires_at where w.number <= excluded.number`,
  )

const noteChanges = upsert('note_changes', `${UNREACHED}`)
/** Where the next record will be inserted: behind all that was committed, also what is not on disk yet. */
const recordPositions = upsert('record_write_positions', `(pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint`)

const deleteExpired = statement<[], never>(
  'delete_expired_write_positions',
  `delete from write_positions where (tenant_id, key_id, server_id) in
     (select tenant_id, key_id, server_id from write_positions where expires_at < now() for update skip locked)`,
)

/**
 * Lets every server process know up to where a replica must be before it shows an API key its own changes. Before a key changes something
 * no replica will do for it; a moment after, one that has replayed the log up to where it then was. So a key that got no answer, because
 * its server died, sees what became of its change, too. Does nothing while no process reads from a replica.
 */
export class WritePositions {
  readonly #db: Pick<Database, 'run' | 'runAside'>
  readonly #onError: (error: unknown) => void
  readonly #serverId = randomUUID()
  readonly #keys = new Map<string, Noted>()
  readonly #timer: NodeJS.Timeout
  readonly #tasks: PeriodicTask[]
  #waiting: { key: Noted; resolve: () => void; reject: (error: unknown) => void }[] = []
  #number = 0
  #isWanted = true
  #checkedAtMs = -Infinity

  constructor(db: Pick<Database, 'run' | 'runAside'>, onError: (error: unknown) => void) {
    this.#db = db
    this.#onError = onError
    this.#timer = setInterval(() => void this.#record(), RECORD_EVERY_MS).unref()
    this.#tasks = [
      // Without an answer positions are kept; what is wrong is told by everything else that asks the database.
      repeat(
        CHECK_EVERY_MS,
        () => this.#check(),
        () => {},
      ),
      repeat(CLEAN_EVERY_MS, () => db.runAside(deleteExpired, []), onError),
    ]
  }

  /** Begins a change; undefined while nobody needs to know. */
  begin({ tenantId, keyId }: PositionKey): Change | undefined {
    if (!this.#isWanted && performance.now() - this.#checkedAtMs < CHECK_VALID_MS) return undefined
    const name = `${tenantId}/${keyId}`
    const known = this.#keys.get(name)
    const key = known ?? {
      tenantId,
      keyId,
      number: ++this.#number,
      underWay: 0,
      notedAtMs: performance.now(),
      noted: Promise.resolve(),
    }
    key.underWay++
    if (known === undefined) {
      this.#keys.set(name, key)
      key.noted = this.#note(key)
      key.noted.catch(() => this.#keys.get(name) === key && this.#keys.delete(name))
    }
    return { noted: key.noted, end: () => key.underWay-- }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#tasks.map((task) => task.stop()))
    await this.#record()
  }

  async #check(): Promise<void> {
    const checkedAtMs = performance.now()
    const [row] = await this.#db.run(isWanted, [])
    this.#isWanted = row?.is_wanted !== false
    this.#checkedAtMs = checkedAtMs
  }

  /** With all others of the same moment. */
  #note(key: Noted): Promise<void> {
    if (this.#waiting.length === 0) setImmediate(() => void this.#noteWaiting())
    return new Promise((resolve, reject) => void this.#waiting.push({ key, resolve, reject }))
  }

  async #noteWaiting(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = []
    await this.#send(
      noteChanges,
      batch.map(({ key }) => key),
    ).then(
      () => batch.forEach(({ resolve }) => resolve()),
      (error: unknown) => batch.forEach(({ reject }) => reject(error)),
    )
  }

  /** Of the keys that have ended what they changed; those that have not are noted again before that expires. */
  async #record(): Promise<void> {
    const ended: Noted[] = []
    const aged: Noted[] = []
    const now = performance.now()
    for (const [name, key] of this.#keys) {
      if (key.underWay === 0) {
        ended.push(key)
        this.#keys.delete(name)
      } else if (now - key.notedAtMs > RENEW_MS) {
        aged.push(key)
        key.notedAtMs = now
      }
    }
    // What fails here expires: until then these keys are served by the primary.
    await Promise.all([this.#send(recordPositions, ended), this.#send(noteChanges, aged)]).catch(this.#onError)
  }

  async #send(upsert: typeof noteChanges, keys: readonly Noted[]): Promise<void> {
    if (keys.length === 0) return
    const columns = [keys.map((key) => key.tenantId), keys.map((key) => key.keyId), keys.map((key) => key.number)] as const
    await this.#db.runAside(upsert, [this.#serverId, ...columns])
  }
}
