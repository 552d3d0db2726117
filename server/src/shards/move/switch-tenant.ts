import { setTimeout as delay } from 'node:timers/promises'
import { READ_MAP_WHILE_MOVING_MS } from '../follow-shards.ts'
import { DIRECTORY } from '../shards.ts'
import { closeSource, fencedTables, CannotSwitchNowError, openTarget, reopenSource } from './fence.ts'
import type { Work } from './move-steps.ts'
import { hasReached, measureLag, newMark, publishedTables } from './replication.ts'
import { isBusy, type Move } from './side.ts'
import { advanceSequences, tenantTables } from './tables.ts'

/** Running processes hold back new calls, and those in progress have ended. */
const HELD_AFTER_MS = 3 * READ_MAP_WHILE_MOVING_MS
/** The target must follow this closely, or the pause would be long. */
const CLOSE_LAG_MS = 500
const LAG_PATIENCE_MS = 60_000
/** How long the target may take to get the last writes. Longer, and the tenant goes on in the source. */
const LAST_WRITES_MS = 1_200
const SWITCHES = 20
const BETWEEN_SWITCHES_MS = 2_000
/** What sequences may go on by until the switch. */
const ROOM = 1_000

/** Switches a tenant that is copied, in several tries if need be. Returns the milliseconds that its calls waited. */
export async function switchTenant(work: Work): Promise<number> {
  let pauseMs = 0
  for (let tries = 1; ; tries++) {
    const { isDone, reason, tookMs } = await trySwitch(work)
    pauseMs += tookMs
    if (isDone) return Math.round(pauseMs)
    if (tries === SWITCHES)
      throw new Error(`The tenant could not be switched: ${reason}. It is served as before; run the command again`)
    work.options.note(`Not switched yet: ${reason}. Trying again`)
    await delay(BETWEEN_SWITCHES_MS)
  }
}

interface Switched {
  isDone: boolean
  reason: string
  tookMs: number
}

/** Tries to switch the tenant. If it takes too long, the tenant goes on in the source. */
async function trySwitch(work: Work): Promise<Switched> {
  const { move, registry, options } = work
  if (!(await isWhole(move)))
    throw new Error('The schema has changed since the move began: give it up with --abort, and begin it again')
  const lagMs = await measureLag(move, LAG_PATIENCE_MS)
  if (lagMs > CLOSE_LAG_MS) return { isDone: false, reason: behind(lagMs), tookMs: 0 }
  const inUse = await advance(move, ROOM)
  if (inUse !== undefined) return { isDone: false, reason: inUse, tookMs: 0 }
  await keepKeys(move)
  const startedAt = performance.now()
  const tookMs = (): number => performance.now() - startedAt
  await registry.setState(move.epoch, { from: 'copying', to: 'switching' })
  await delay(HELD_AFTER_MS)
  const reason = await handOver(move)
  if (reason === undefined) {
    await registry.switchOver(move.epoch)
    options.note(`Switched to shard ${move.target.id}: calls waited ${Math.round(tookMs())} ms`)
    return { isDone: true, reason: '', tookMs: tookMs() }
  }
  await reopenSource(move)
  await registry.setState(move.epoch, { from: 'switching', to: 'copying' })
  return { isDone: false, reason, tookMs: tookMs() }
}

/** Closes the source, and opens the target when it has everything. Returns the reason if that was not possible, and then the source is still the one. */
async function handOver(move: Move): Promise<string | undefined> {
  const mark = newMark()
  try {
    await closeSource(move, mark)
  } catch (error) {
    if (error instanceof CannotSwitchNowError) return error.message
    if (isBusy(error) || (error as { code?: string }).code === '57014') return 'calls in progress did not end in time'
    throw error
  }
  const [isThere, isComplete] = await Promise.all([hasReached(move, mark, LAST_WRITES_MS), isWhole(move)])
  if (!isThere) return 'the last writes did not arrive in time'
  if (!isComplete) return 'the schema has changed'
  const inUse = await advance(move, 0)
  if (inUse !== undefined) return inUse
  await keepKeys(move)
  await openTarget(move)
  return undefined
}

/** Advances the sequences of the target. Returns the reason if that is not possible at the moment. */
async function advance({ source, target }: Move, room: number): Promise<string | undefined> {
  try {
    await advanceSequences(source, target, room)
    return undefined
  } catch (error) {
    if (isBusy(error)) return `a transaction in shard ${target.id} has taken an id and does not end`
    throw error
  }
}

/** Whether all tables of the source are fenced and copied. A migration may have made one since the move began. */
async function isWhole(move: Move): Promise<boolean> {
  const { source } = move
  // One after the other: they share a connection.
  const present = await tenantTables(source)
  const fenced = await fencedTables(move, source)
  const published = await publishedTables(move)
  return present.every(({ name }) => fenced.has(name) && published.has(name))
}

const behind = (lagMs: number): string =>
  lagMs === Infinity ? `the copy is more than ${LAG_PATIENCE_MS / 1_000} s behind` : `the copy is ${Math.round(lagMs)} ms behind`

/** Keys that name no tenant are looked up in the directory. */
async function keepKeys({ source, ids }: Move): Promise<void> {
  if (source.id !== DIRECTORY) return
  await source.client.query(
    `insert into moved_keys (key_hash, of_tenant) select key_hash, tenant_id from api_keys where tenant_id = any ($1::bigint[])
     on conflict do nothing`,
    [ids],
  )
}
