import type { Database, Queryable } from '../database.ts'
import { isOfMovedTenant, isUnavailable } from '../errors.ts'
import type { Replica } from './replica.ts'
import { statement } from '../statements/statement.ts'
import { ALL_KEYS, type PositionKey } from './write-positions.ts'

const SETTLED = `interval '4 seconds'`
const REPORT_EVERY_MS = 60_000

/** A mark that is older than this is known to every process, or the process stores positions because it could not read the mark. */
const findPosition = statement<[tenantId: number, keyId: number], { mark: string; position: number }>({
  name: 'find_write_position',
  connection: 'read',
  sql: `select m.mark, coalesce(
     (select max(position) from write_positions where tenant_id = $1 and key_id in ($2, ${ALL_KEYS}) and expires_at > now()), 0
   )::bigint as position
   from replica_mark m where m.tenant_id = 0 and m.wanted_until > now() and m.made_at < now() - ${SETTLED}`,
})

/** Whose read it is, and the position that the replica must have reached besides that of the key. */
interface Reader extends PositionKey {
  readonly readsAfter?: number
}

/** The server that executed a read allowed on the replica. */
export type ReadTarget = 'replica' | 'primary'

/**
 * Sends reads that tolerate a lag to the replica, unless it lacks a write of the same key. The key's position is read from the primary first,
 * because the write may have been made through another server. If the replica fails or rejects a query, the primary executes the read.
 */
export class ReplicaReads {
  readonly #primary: Pick<Database, 'runOne'>
  readonly #replica: Replica
  readonly #onRead: (target: ReadTarget) => void
  readonly #onError: (error: unknown) => void
  #reportedAtMs = -Infinity

  constructor(
    primary: Pick<Database, 'runOne'>,
    replica: Replica,
    { onRead, onError }: { onRead: (target: ReadTarget) => void; onError: (error: unknown) => void },
  ) {
    this.#primary = primary
    this.#replica = replica
    this.#onRead = onRead
    this.#onError = onError
  }

  /** Runs `read` on the replica if it has all writes of this key and what its page has seen, otherwise, or if it fails there, on the primary. */
  async read<Result>(reader: Reader, primary: Queryable, read: (db: Queryable) => Promise<Result>): Promise<Result> {
    const replica = await this.#find(reader)
    if (replica !== undefined) {
      try {
        const result = await read(replica)
        this.#onRead('replica')
        return result
      } catch (error) {
        this.failed(error)
      }
    }
    this.#onRead('primary')
    return await read(primary)
  }

  /**
   * Logs a failure of the replica, at most one a minute. A read also fails for reasons of its own, such as a record that has not arrived
   * there; these are not logged.
   */
  failed(error: unknown): void {
    if (!isUnavailable(error) && !isOfMovedTenant(error)) return
    if (performance.now() - this.#reportedAtMs < REPORT_EVERY_MS) return
    this.#reportedAtMs = performance.now()
    this.#onError(error)
  }

  async #find({ tenantId, keyId, readsAfter = 0 }: Reader): Promise<Queryable | undefined> {
    // Saves the query of the position while the replica cannot be used.
    if (!this.#replica.isUsable) return undefined
    const known = await this.#primary.runOne(findPosition, [tenantId, keyId]).catch(() => undefined)
    return known && this.#replica.at(known.mark, Math.max(known.position, readsAfter))?.forTenant(tenantId)
  }
}
