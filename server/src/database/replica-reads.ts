import type { Database, Queryable } from './database.ts'
import { databaseErrorToServiceError } from './errors.ts'
import type { Replica } from './replica.ts'
import { statement } from './statement.ts'
import type { PositionKey } from './write-positions.ts'

const SETTLED = `interval '4 seconds'`
const REPORT_EVERY_MS = 60_000

/** By then every process has found out that positions are to be kept, or keeps them because it could not. */
const findPosition = statement<[tenantId: number, keyId: number], { mark: string; position: number }>(
  'find_write_position',
  `select m.mark, coalesce(
     (select max(position) from write_positions where tenant_id = $1 and key_id = $2 and expires_at > now()), 0
   )::bigint as position
   from replica_mark m where m.tenant_id = 0 and m.wanted_until > now() and m.made_at < now() - ${SETTLED}`,
)

/** Who answered a read that the replica may answer. */
export type ReadTarget = 'replica' | 'primary'

/**
 * Sends reads to the replica that may be a moment old, unless the replica lacks something that the key changed itself: the primary is
 * asked for that first, as the change may have been made through another server. Whatever goes wrong with the replica, or is refused by
 * it, is left to the primary.
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

  /** What `read` makes of the replica; undefined when the primary is to be asked. */
  async attempt<Result extends { ok: boolean; error?: Error }>(
    key: PositionKey,
    read: (db: Queryable) => Promise<Result>,
  ): Promise<Result | undefined> {
    const db = await this.#find(key)
    const result = db === undefined ? undefined : await read(db)
    this.#onRead(result?.ok === true ? 'replica' : 'primary')
    if (result === undefined || result.ok) return result
    this.#refused(result.error?.cause)
    return undefined
  }

  async #find({ tenantId, keyId }: PositionKey): Promise<Queryable | undefined> {
    // One that can not be used at all costs nothing.
    if (!this.#replica.isUsable) return undefined
    const known = await this.#primary.runOne(findPosition, [tenantId, keyId]).catch(() => undefined)
    return known && this.#replica.at(known.mark, known.position)?.forTenant(tenantId)
  }

  /** By a replica that restarts or takes away what is read, or by the operation, such as for a record that has not arrived there. */
  #refused(cause: unknown): void {
    if (databaseErrorToServiceError(cause)?.errorCode !== 'service_unavailable') return
    if (performance.now() - this.#reportedAtMs < REPORT_EVERY_MS) return
    this.#reportedAtMs = performance.now()
    this.#onError(cause)
  }
}
