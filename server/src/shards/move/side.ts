import pg from 'pg'
import type { Database } from '../../database/database.ts'
import type { Shard } from '../shards.ts'

/** One of the two databases of a move, with a connection of its own. */
export interface Side extends Shard {
  client: pg.Client
}

/** What both databases, and whoever works at the move, know of it. */
export interface Move {
  tenantId: number
  /** The tenant and its sandbox. */
  ids: readonly [tenantId: number, sandboxId: number]
  /** Of what the move makes in the databases. */
  name: string
  /** Of this command. The databases refuse what an earlier command still does. */
  epoch: number
  source: Side
  target: Side
}

/** The move of a row of the directory. */
export function moveOf(row: { id: number; sandbox_id: number; moves: number; epoch: number }, source: Side, target: Side): Move {
  const { id: tenantId, sandbox_id, moves, epoch } = row
  return { tenantId, ids: [tenantId, sandbox_id], name: `fulfillment_move_${tenantId}_${moves}`, epoch, source, target }
}

const CONNECT_TIMEOUT_MS = 5_000
/** How long after its time limit a statement must have been refused. */
const RESPONSE_MS = 2_000
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK_DETECTED = '40P01'

/** A statement that locks what calls use gives up soon, lets the queries behind it pass, and is tried again. */
export const LOCK_TIMEOUT_MS = 300
const PAUSE_MS = 500
const TRIES = 120

/** Connects, without a time limit for statements unless one is given. An error of the connection fails the next query. */
export async function connectTo(db: Database, statementMs?: number): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: db.url,
    options: `-c timezone=UTC -c statement_timeout=${statementMs ?? 0}`,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // A server that is frozen keeps no time limit of its own.
    ...(statementMs === undefined ? {} : { query_timeout: statementMs + RESPONSE_MS }),
  })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Opens a connection to the source and one to the target, runs `work` with them, and closes them. */
export async function withSides<T>(
  source: Shard,
  target: Shard,
  work: (source: Side, target: Side) => Promise<T>,
  statementMs?: number,
): Promise<T> {
  const opened: Side[] = []
  try {
    for (const { id, db } of [source, target]) opened.push({ id, db, client: await connectTo(db, statementMs) })
    return await work(opened[0] as Side, opened[1] as Side)
  } finally {
    await Promise.all(opened.map(({ client }) => client.end().catch(() => {})))
  }
}

/** Runs SQL text that locks a table, in a transaction of its own. */
export async function briefly(client: pg.Client, text: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return void (await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}; ${text}; set lock_timeout = 0`))
    } catch (error) {
      if (!isBusy(error) || tries === TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    } finally {
      await client.query('set lock_timeout = 0').catch(() => {})
    }
  }
}

/** Whether a lock could not be taken. */
export function isBusy(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === LOCK_NOT_AVAILABLE || code === DEADLOCK_DETECTED
}

/** Another command has taken over the move. */
export class MoveTakenOverError extends Error {
  constructor() {
    super('Another command works at the move of this tenant')
    this.name = 'MoveTakenOverError'
  }
}

/** Time limits of `fenced`, other than those of the connection. */
interface Limits {
  lockMs?: number
  statementMs?: number
}

/**
 * Runs a transaction of the move that writes rows of the tenant: without triggers, so that neither the fence nor foreign keys look at them. Throws
 * `MoveTakenOverError` when another command works at the move: it has locked the fence, or numbered it.
 */
export async function fenced<T>(
  { tenantId, epoch }: Move,
  { client }: Side,
  work: () => Promise<T>,
  { lockMs, statementMs }: Limits = {},
): Promise<T> {
  const limits = Object.entries({ lock_timeout: lockMs, statement_timeout: statementMs }).filter(([, ms]) => ms !== undefined)
  const settings = [...limits, ['session_replication_role', 'replica']].map(([name, value]) => `set local ${name} = ${value}`)
  await client.query(['begin', ...settings].join('; '))
  try {
    const result = await work()
    const fence = await client.query('select from tenant_fences where id = $1 and epoch = $2 for share', [tenantId, epoch])
    if (fence.rowCount !== 1) throw new MoveTakenOverError()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}
