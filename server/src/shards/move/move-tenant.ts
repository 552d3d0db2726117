import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../database/database.ts'
import { sandboxOf } from '../../domain/tenants/index.ts'
import { noShard } from '../change-shards.ts'
import { READ_MAP_EVERY_MS, READ_MAP_WHILE_MOVING_MS } from '../follow-shards.ts'
import type { OpenedShard, OpenShards } from '../open-shards.ts'
import { DIRECTORY } from '../shards.ts'
import {
  closeSource,
  fencedTables,
  isFenceClosed,
  NotNow,
  openTarget,
  raiseFence,
  removeFence,
  removeTriggers,
  reopenSource,
  takeFence,
} from './fence.ts'
import { endSwitch, withSides, working } from './end-switch.ts'
import type { MoveRow, Registry } from './registry.ts'
import { removeRows } from './remove-rows.ts'
import {
  copied,
  hasReached,
  isReplicating,
  measureLag,
  newMark,
  publish,
  slotsOfTables,
  subscribe,
  unpublish,
  unsubscribe,
} from './replication.ts'
import { missingFor } from './requirements.ts'
import { isBusy, type Move, moveOf, type Side, TakenOver } from './side.ts'
import { advanceSequences, type TenantTable, tenantTables } from './tables.ts'

/** Running processes know of a move by then, and look often. */
const KNOWN_AFTER_MS = READ_MAP_EVERY_MS + 1_000
/** They hold back new calls, and those in progress have ended. */
const HELD_AFTER_MS = 3 * READ_MAP_WHILE_MOVING_MS
/** The target must follow this closely, or the pause would be long. */
const CLOSE_LAG_MS = 500
const LAG_PATIENCE_MS = 60_000
/** How long the target may take to get the last writes. Longer, and the tenant goes on in the source. */
const LAST_WRITES_MS = 1_200
const SWITCHES = 20
const BETWEEN_SWITCHES_MS = 2_000
const POLL_MS = 250
const ROOM = 1_000

const AFTER_LOSS_MS = 1_000
const LOST_PATIENCE_MS = 300_000

/** What a command needs besides the shards. */
export interface MoveOptions {
  /** Tells what happens. */
  note(line: string): void
  /** The address of the source, as the Postgres of the target reaches it. Default: as this command reaches it. */
  sourceUrl?: string | undefined
}

/** What a move did. */
export interface Moved {
  tenant_id: number
  from: number
  to: number
  /** Milliseconds during which the tenant's calls waited, in all tries to switch. Null when an earlier command has switched. */
  pause_ms: number | null
}

/** What a dry run found. */
export interface MovePlan {
  tenant_id: number
  name: string
  from: number
  to: number
  state: MoveRow['state']
  missing: string[]
}

interface Work {
  move: Move
  registry: Registry
  tables: readonly TenantTable[]
  options: MoveOptions
}

/**
 * Moves a tenant and its sandbox to another shard while its calls are served, or goes on with a move that was interrupted. A lost connection is waited
 * for: each part can be begun again. See docs/decisions/0036.
 */
export async function moveTenant(shards: OpenShards, tenantId: number, targetId: number, options: MoveOptions): Promise<Moved> {
  let hasBegun = false
  let pauseMs: number | null = null
  return await persistently(options, async () => {
    const present = await findTenant(shards, tenantId)
    return await working(shards.directory, tenantId, async (registry) => {
      const row = await registry.read()
      const begun = row !== undefined && row.state !== 'settled' ? row : undefined
      if (begun === undefined && present.id === targetId) {
        if (hasBegun) return { tenant_id: tenantId, from: row?.shard_id ?? targetId, to: targetId, pause_ms: pauseMs }
        throw new Error(`Tenant ${tenantId} is in shard ${targetId} already`)
      }
      requireSameMove(tenantId, targetId, begun)
      const otherId = begun?.state === 'leaving' ? (begun.other_id as number) : targetId
      return await withShards(shards, present.id, otherId, async (here, other) => {
        const [source, target] = begun?.state === 'leaving' ? [other, here] : [here, other]
        if (begun === undefined) await requireReady(shards, source, target)
        const moving = begun === undefined ? await begin(registry, source, target, tenantId) : await registry.takeOver()
        hasBegun = true
        const work = await prepareWork(registry, moving, source, target, options)
        if (moving.state !== 'leaving') pauseMs = await copyAndSwitch(work, moving)
        await leave(work)
        return { tenant_id: tenantId, from: source.id, to: target.id, pause_ms: pauseMs }
      })
    })
  })
}

/** Gives up a move before its switch, or goes on giving it up. The tenant stays where it is. */
export async function abortMove(shards: OpenShards, tenantId: number, options: MoveOptions): Promise<Moved> {
  const present = await findTenant(shards, tenantId)
  return await working(shards.directory, tenantId, async (registry) => {
    const row = await registry.read()
    if (row === undefined || row.state === 'settled') throw new Error(`Tenant ${tenantId} is not being moved`)
    if (row.state === 'leaving') throw switchedAlready(row)
    return await withShards(shards, present.id, row.other_id as number, async (source, target) => {
      const moving = await registry.takeOver()
      const work = await prepareWork(registry, moving, source, target, options)
      if ((await isFenceClosed(work.move, target)) === false) throw switchedAlready(moving)
      await giveUp(work, moving)
      return { tenant_id: tenantId, from: source.id, to: source.id, pause_ms: null }
    })
  })
}

/** What a move would do, and what it lacks. Changes nothing. */
export async function planMove(shards: OpenShards, tenantId: number, targetId: number): Promise<MovePlan> {
  const { id: from, name, state } = await findTenant(shards, tenantId)
  const plan = { tenant_id: tenantId, name, from, to: targetId, state }
  if (from === targetId) return { ...plan, missing: [`Tenant ${tenantId} is in shard ${targetId} already`] }
  const missing = await withShards(shards, from, targetId, (source, target) => missingFor(source, target))
  return { ...plan, missing: [...drainingProblem(shards, targetId), ...missing] }
}

/** Repeats the work while a database cannot be reached. */
async function persistently<T>({ note }: MoveOptions, work: () => Promise<T>): Promise<T> {
  let lostAtMs: number | undefined
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isLost(error)) throw error
      if (lostAtMs === undefined) note(`A connection was lost (${(error as Error).message}): going on when it is back`)
      lostAtMs ??= performance.now()
      if (performance.now() - lostAtMs > LOST_PATIENCE_MS) throw error
      await delay(AFTER_LOSS_MS)
    }
  }
}

/** Errors of connections have no code of Postgres, or one that says that the server ends or starts. */
function isLost(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof TakenOver) return false
  const { code } = error as { code?: string }
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|08|57P0)/.test(code ?? '') ||
    /^(Connection terminated|timeout expired|Client has encountered)/.test(error.message)
  )
}

interface FoundTenant {
  /** Of its shard. */
  id: number
  name: string
  state: MoveRow['state']
}

/** The tenant, as the directory knows it now. */
async function findTenant(shards: OpenShards, tenantId: number): Promise<FoundTenant> {
  const moved = await shards.directory.dedicatedPool.query('select shard_id, state from moved_tenants where id = $1', [tenantId])
  const { shard_id: place, state = 'settled' } = moved.rows[0] ?? {}
  const { id, db } = place === undefined ? shardByRange(shards, tenantId) : reachable(shards, place)
  const { rows } = await db.dedicatedPool.query('select name, sandbox_of from tenants where id = $1', [tenantId])
  if (rows[0] === undefined) throw new Error(`There is no tenant ${tenantId}; tenants list shows them`)
  if (rows[0].sandbox_of !== null)
    throw new Error(`${tenantId} is the sandbox of tenant ${rows[0].sandbox_of}, and moves with it`)
  return { id, name: rows[0].name, state }
}

function shardByRange(shards: OpenShards, tenantId: number): { id: number; db: Database } {
  const db = shards.of(tenantId)
  const { id } = shards.opened.find((shard) => shard.db === db) as OpenedShard
  return { id, db }
}

async function withShards<T>(
  shards: OpenShards,
  sourceId: number,
  targetId: number,
  work: (source: Side, target: Side) => Promise<T>,
): Promise<T> {
  return await withSides(reachable(shards, sourceId), reachable(shards, targetId), work)
}

function reachable({ opened }: OpenShards, id: number): { id: number; db: Side['db'] } {
  const shard = opened.find((one) => one.id === id)
  if (shard === undefined) throw noShard(id)
  if (shard.db === undefined) throw new Error(`Shard ${id} cannot be reached`)
  return { id, db: shard.db }
}

function requireSameMove(tenantId: number, targetId: number, begun: MoveRow | undefined): void {
  if (begun === undefined) return
  const to = begun.state === 'leaving' ? begun.shard_id : begun.other_id
  if (begun.state === 'returning')
    throw new Error(`A move of tenant ${tenantId} is being given up: run tenants move ${tenantId} --abort again`)
  if (to !== targetId)
    throw new Error(`Tenant ${tenantId} is being moved to shard ${to}: finish that first, or give it up with --abort`)
}

function switchedAlready({ id, shard_id, other_id, state }: MoveRow): Error {
  const to = state === 'leaving' ? shard_id : other_id
  return new Error(
    `Tenant ${id} has been switched to shard ${to}: finish with tenants move ${id} --to ${to}, and then move it back`,
  )
}

async function requireReady(shards: OpenShards, source: Side, target: Side): Promise<void> {
  const missing = [...drainingProblem(shards, target.id), ...(await missingFor(source, target))]
  if (missing.length > 0) throw new Error(missing.join('\n'))
}

function drainingProblem({ opened }: OpenShards, id: number): string[] {
  const isDraining = opened.find((shard) => shard.id === id)?.state === 'draining'
  return isDraining ? [`Shard ${id} is draining and gets no tenants`] : []
}

/** Makes the sandbox first, so that no further one is made during the move. */
async function begin(registry: Registry, source: Side, target: Side, tenantId: number): Promise<MoveRow> {
  const { id: sandboxId } = await sandboxOf(source.db, tenantId)
  return await registry.begin(sandboxId, source.id, target.id)
}

/** From here on, this command alone can change anything in both databases. */
async function prepareWork(registry: Registry, row: MoveRow, source: Side, target: Side, options: MoveOptions): Promise<Work> {
  const move = moveOf(row, source, target)
  // The target first: whether its fence is open decides whether the source may be opened again. When leaving, fences may be gone.
  if (row.state !== 'leaving') await takeFence(move, target, true)
  await takeFence(move, source, row.state === 'leaving')
  return { move, registry, tables: await tenantTables(source), options }
}

/** Copies the tenant and switches it. Returns the length of the pause. */
async function copyAndSwitch(work: Work, row: MoveRow): Promise<number> {
  const { move, registry, options } = work
  if (row.state === 'switching' && (await endSwitch(move, registry))) {
    options.note('The tenant was just being switched: going on')
    return 0
  }
  await copy(work)
  let pauseMs = 0
  for (let tries = 1; ; tries++) {
    const { isDone, reason, tookMs } = await trySwitch(work)
    pauseMs += tookMs
    if (isDone) return Math.round(pauseMs)
    if (tries === SWITCHES)
      throw new Error(`The tenant could not be switched: ${reason}. It is served as before; run the command again`)
    options.note(`Not switched yet: ${reason}. Trying again`)
    await delay(BETWEEN_SWITCHES_MS)
  }
}

/** Makes what the copy needs, each part unless it is there, and waits until all tables are copied. */
async function copy({ move, tables, options }: Work): Promise<void> {
  const { source, target } = move
  options.note(`Copying tenant ${move.tenantId} and its sandbox from shard ${source.id} to shard ${target.id}`)
  await raiseFence(move, source, tables)
  await raiseFence(move, target, tables)
  if (!(await isReplicating(move))) {
    const ofTables = await slotsOfTables(move)
    await unsubscribe(move)
    if (ofTables !== undefined) await unpublish(move, [], ofTables)
    await removeRows(move, target, tables)
    await publish(move, tables)
    await subscribe(move, options.sourceUrl ?? source.db.url)
  }
  await untilCopied(move, options)
}

async function untilCopied(move: Move, { note }: MoveOptions): Promise<void> {
  let told = { done: -1, errors: 0 }
  const startedAt = performance.now()
  for (; ; await delay(POLL_MS)) {
    const { done, all, errors } = await copied(move)
    if (done >= all && all > 0 && performance.now() - startedAt >= KNOWN_AFTER_MS) return note(`Copied ${all} tables`)
    if (errors > told.errors) note(`Postgres of shard ${move.target.id} reports errors of the copy in its log, and tries again`)
    if (done >= told.done + 10 || (done === all && told.done < all)) note(`Copied ${done} of ${all} tables`)
    else if (errors === told.errors) continue
    told = { done, errors }
  }
}

interface Switched {
  isDone: boolean
  reason: string
  tookMs: number
}

/** Tries to switch the tenant. If it takes too long, the tenant goes on in the source. */
async function trySwitch(work: Work): Promise<Switched> {
  const { move, registry, tables, options } = work
  const lagMs = await measureLag(move, LAG_PATIENCE_MS)
  if (lagMs > CLOSE_LAG_MS) return { isDone: false, reason: `the copy is ${Math.round(lagMs)} ms behind`, tookMs: 0 }
  await advanceSequences(move.source, move.target, ROOM)
  await keepKeys(move)
  const startedAt = performance.now()
  const tookMs = (): number => performance.now() - startedAt
  await registry.setState(move.epoch, { from: 'copying', to: 'switching' })
  await delay(HELD_AFTER_MS)
  const reason = await handOver(move, tables)
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
async function handOver(move: Move, known: readonly TenantTable[]): Promise<string | undefined> {
  const { source, target } = move
  const mark = newMark()
  try {
    await closeSource(move, mark)
  } catch (error) {
    if (error instanceof NotNow) return error.message
    if (isBusy(error) || (error as { code?: string }).code === '57014') return 'calls in progress did not end in time'
    throw error
  }
  const [isThere, present, fenced] = await Promise.all([
    hasReached(move, mark, LAST_WRITES_MS),
    tenantTables(source),
    fencedTables(move, source),
  ])
  if (!isThere) return 'the last writes did not arrive in time'
  // A migration may have made a table since the move began.
  if (present.length !== known.length || present.some(({ name }) => !fenced.has(name)))
    throw new Error('The schema has changed since the move began: give it up with --abort, and begin it again')
  await advanceSequences(source, target, 0)
  await keepKeys(move)
  await openTarget(move)
  return undefined
}

/** Keys that name no tenant are looked up in the directory. */
async function keepKeys({ source, ids }: Move): Promise<void> {
  if (source.id !== DIRECTORY) return
  await source.client.query(
    `insert into moved_keys (key_hash, of_tenant) select key_hash, tenant_id from api_keys where tenant_id = any ($1::bigint[])
     on conflict do nothing`,
    [ids],
  )
}

/** Removes what the move made, and the tenant's rows in its former shard, once every running process knows the new one. */
async function leave({ move, registry, tables, options }: Work): Promise<void> {
  const { source, target } = move
  await delay(KNOWN_AFTER_MS)
  const ofTables = await slotsOfTables(move)
  await unsubscribe(move)
  await unpublish(move, tables, ofTables)
  await removeTriggers(move, target)
  await removeFence(move, target)
  let told = 0
  const removed = await removeRows(move, source, tables, (total) => {
    if (total < told + 100_000) return
    told = total
    options.note(`Deleted ${total} rows in shard ${source.id}`)
  })
  options.note(`Deleted ${removed} rows in shard ${source.id}`)
  await removeTriggers(move, source)
  await removeFence(move, source)
  await registry.settle(move.epoch, 'leaving')
}

async function giveUp({ move, registry, tables, options }: Work, row: MoveRow): Promise<void> {
  const { source, target } = move
  if (row.state !== 'returning') await registry.setState(move.epoch, { from: row.state, to: 'returning' })
  await reopenSource(move)
  const ofTables = await slotsOfTables(move)
  await unsubscribe(move)
  await unpublish(move, tables, ofTables)
  const removed = await removeRows(move, target, tables)
  options.note(`Deleted ${removed} rows in shard ${target.id}`)
  for (const side of [target, source]) {
    await removeTriggers(move, side)
    await removeFence(move, side)
  }
  await registry.settle(move.epoch, 'returning')
}
