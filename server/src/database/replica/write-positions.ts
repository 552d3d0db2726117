import { randomUUID } from 'node:crypto'
import { repeat, type PeriodicTask } from '../../runtime/periodic.ts'
import type { Database } from '../database.ts'
import { statement } from '../statements/statement.ts'

/** In place of a key's id: the changes that all keys of the tenant must see. */
export const ALL_KEYS = 0

/** An API key of a tenant. */
export interface PositionKey {
  readonly tenantId: number
  readonly keyId: number
}

/** A change in progress. */
export interface Change {
  /** Resolves when every server process can see it. The change must not be made earlier, nor if this rejects. */
  readonly noted: Promise<void>
  /** Call it when the change has ended, whether committed, rolled back or unknown. */
  end(): void
}

/** A key with changes in progress or ended changes whose position is not recorded yet. */
interface Noted extends PositionKey {
  number: number
  underWay: number
  notedAtMs: number
  noted: Promise<void>
}

/** A position that no replica reaches. */
const UNREACHED = Number.MAX_SAFE_INTEGER
/** Longer than the lag of any usable replica, and longer than a statement of a dead process can still run. */
const EXPIRES = `interval '60 seconds'`
const RENEW_MS = 20_000
const RECORD_EVERY_MS = 100
const CHECK_EVERY_MS = 1_000
/** A process that cannot read the mark for this long stores positions. Less than `SETTLED` in replica-reads.ts. */
const CHECK_VALID_MS = 2_500
const CLEAN_EVERY_MS = 60_000

const isWanted = statement<[], { is_wanted: boolean }>({
  name: 'are_write_positions_wanted',
  connection: 'read',
  sql: `select exists (select from replica_mark where tenant_id = 0 and wanted_until > now()) as is_wanted`,
})

const upsert = (name: string, position: string) =>
  statement<[serverId: string, tenantIds: number[], keyIds: number[], numbers: number[]], never>({
    name: name,
    connection: 'unsynced',
    sql: `insert into write_positions as w (tenant_id, key_id, server_id, position, number, expires_at)
     select tenant_id, key_id, $1::uuid, ${position}, number, clock_timestamp() + ${EXPIRES}
     from unnest($2::bigint[], $3::bigint[], $4::bigint[]) k (tenant_id, key_id, number)
     on conflict (tenant_id, key_id, server_id) do update
     set position = excluded.position, number = excluded.number, expires_at = excluded.expires_at where w.number <= excluded.number`,
  })

const noteChanges = upsert('note_changes', `${UNREACHED}`)
/** The insert position of the log: behind every committed record, even if it is not on the disk yet. */
const recordPositions = upsert('record_write_positions', `(pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint`)

const deleteExpired = statement<[], never>({
  name: 'delete_expired_write_positions',
  connection: 'unsynced',
  sql: `delete from write_positions where (tenant_id, key_id, server_id) in
     (select tenant_id, key_id, server_id from write_positions where expires_at < now() for update skip locked)`,
})

/**
 * Tells all server processes which position a replica must have replayed before an API key may read from it, so that the key reads its own
 * writes. Before a change, the stored position is one that no replica reaches. After it, the position is the current end of the log. So a
 * key reads its write even if the server died before responding. Does nothing while no process reads from a replica.
 */
export class WritePositions {
  readonly #db: Pick<Database, 'run'>
  readonly #onError: (error: unknown) => void
  readonly #serverId = randomUUID()
  readonly #keys = new Map<string, Noted>()
  readonly #timer: NodeJS.Timeout
  readonly #tasks: PeriodicTask[]
  #waiting: { key: Noted; resolve: () => void; reject: (error: unknown) => void }[] = []
  #number = 0
  #isWanted = true
  #checkedAtMs = -Infinity

  constructor(db: Pick<Database, 'run'>, onError: (error: unknown) => void) {
    this.#db = db
    this.#onError = onError
    this.#timer = setInterval(() => void this.#record(), RECORD_EVERY_MS).unref()
    this.#tasks = [
      // If the query fails, positions are stored. Other queries report the error.
      repeat(
        CHECK_EVERY_MS,
        () => this.#check(),
        () => {},
      ),
      repeat(CLEAN_EVERY_MS, () => db.run(deleteExpired, []), onError),
    ]
  }

  /** Begins a change. Undefined while no process reads from a replica. */
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

  /** Stores the keys of all changes that begin in the same turn with one statement. */
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

  /** Records the current position for keys without changes in progress, and renews the others before they expire. */
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
    // If this fails, the rows expire; until then the primary serves these keys.
    await Promise.all([this.#send(recordPositions, ended), this.#send(noteChanges, aged)]).catch(this.#onError)
  }

  async #send(upsert: typeof noteChanges, keys: readonly Noted[]): Promise<void> {
    if (keys.length === 0) return
    const columns = [keys.map((key) => key.tenantId), keys.map((key) => key.keyId), keys.map((key) => key.number)] as const
    await this.#db.run(upsert, [this.#serverId, ...columns])
  }
}
