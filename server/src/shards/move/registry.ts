import type pg from 'pg'
import type { Database } from '../../database/database.ts'
import { tryTenantLockOfSession } from '../../database/locks.ts'
import type { MovedTenant } from '../shard-map.ts'
import { connectTo, MoveTakenOverError } from './side.ts'

/** The row of a tenant in the directory. */
export interface MoveRow extends MovedTenant {
  other_id: number | null
  moves: number
  epoch: number
}

/** The change of state that a row may make. */
interface Change {
  from: MovedTenant['state']
  to: MovedTenant['state']
}

const COLUMNS = 'id::float8, sandbox_id::float8, shard_id, state, other_id, moves, epoch::float8'

/**
 * The moves as the directory has them. Its connection holds a lock while a command works at the move of a tenant: without the connection, the command can
 * no longer change a row.
 */
export class Registry {
  readonly #client: pg.Client
  readonly #tenantId: number

  constructor(client: pg.Client, tenantId: number) {
    this.#client = client
    this.#tenantId = tenantId
  }

  /** Throws when another command works at the tenant's move. */
  async lock(): Promise<void> {
    const { rows } = await this.#client.query(`select ${tryTenantLockOfSession('move')} as taken`, [this.#tenantId])
    if (rows[0]?.taken !== true) throw new MoveTakenOverError()
  }

  async read(): Promise<MoveRow | undefined> {
    return (await this.#client.query<MoveRow>(`select ${COLUMNS} from moved_tenants where id = $1`, [this.#tenantId])).rows[0]
  }

  /** Begins a move. */
  async begin(sandboxId: number, shardId: number, targetId: number): Promise<MoveRow> {
    const { rows } = await this.#client.query<MoveRow>(
      `insert into moved_tenants as m (id, sandbox_id, shard_id, state, other_id, moves, epoch) values ($1, $2, $3, 'copying', $4, 1, 1)
       on conflict (id) do update set state = 'copying', other_id = excluded.other_id, moves = m.moves + 1, epoch = m.epoch + 1
       where m.state = 'settled' and m.shard_id = excluded.shard_id
       returning ${COLUMNS}`,
      [this.#tenantId, sandboxId, shardId, targetId],
    )
    if (rows[0] === undefined) throw new MoveTakenOverError()
    return rows[0]
  }

  /** Goes on with a move that another command began. */
  async takeOver(): Promise<MoveRow> {
    const { rows } = await this.#client.query<MoveRow>(
      `update moved_tenants set epoch = epoch + 1 where id = $1 and state <> 'settled' returning ${COLUMNS}`,
      [this.#tenantId],
    )
    if (rows[0] === undefined) throw new MoveTakenOverError()
    return rows[0]
  }

  async setState(epoch: number, { from, to }: Change): Promise<void> {
    await this.#update(`state = '${to}'`, epoch, from)
  }

  /** From now on, calls of the tenant go to the other shard. */
  async switchOver(epoch: number): Promise<void> {
    await this.#update(`shard_id = other_id, other_id = shard_id, state = 'leaving'`, epoch, 'switching')
  }

  async settle(epoch: number, from: MovedTenant['state']): Promise<void> {
    await this.#update(`state = 'settled', other_id = null`, epoch, from)
  }

  async #update(assignments: string, epoch: number, from: MovedTenant['state']): Promise<void> {
    const { rowCount } = await this.#client.query(
      `update moved_tenants set ${assignments} where id = $1 and epoch = $2 and state = $3`,
      [this.#tenantId, epoch, from],
    )
    if (rowCount !== 1) throw new MoveTakenOverError()
  }
}

/** Locks the tenant's move, runs `work`, and releases the lock. Throws `MoveTakenOverError` if another command works at the move. */
export async function withRegistry<T>(
  directory: Database,
  tenantId: number,
  work: (registry: Registry) => Promise<T>,
  statementMs?: number,
): Promise<T> {
  const client = await connectTo(directory, statementMs)
  try {
    const registry = new Registry(client, tenantId)
    await registry.lock()
    return await work(registry)
  } finally {
    await client.end().catch(() => {})
  }
}
