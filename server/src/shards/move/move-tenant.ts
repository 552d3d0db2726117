import { sandboxOf } from '../../domain/tenants/index.ts'
import type { OpenShards } from '../open-shards.ts'
import { endSwitch } from './end-switch.ts'
import { isFenceClosed, takeFence } from './fence.ts'
import { findTenant, withShards } from './find-tenant.ts'
import { copy, giveUp, leave, type Work } from './move-steps.ts'
import { type MoveOptions, persistently } from './progress.ts'
import { type MoveRow, type Registry, withRegistry } from './registry.ts'
import { missingFor } from './requirements.ts'
import { moveOf, type Side } from './side.ts'
import { switchTenant } from './switch-tenant.ts'
import { tenantTables } from './tables.ts'

/** What a move did. */
export interface Moved {
  tenant_id: number
  from: number
  to: number
  /** Milliseconds during which the tenant's calls waited, in all tries to switch. Null when an earlier command has switched, or a connection was lost. */
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

/**
 * Moves a tenant and its sandbox to another shard while its calls are served, or goes on with a move that was interrupted. After a lost connection, it
 * waits for the database and goes on: each part can be begun again. See docs/decisions/0036.
 */
export async function moveTenant(shards: OpenShards, tenantId: number, targetId: number, options: MoveOptions): Promise<Moved> {
  let from: number | undefined
  let pauseMs: number | null = null
  return await persistently(options, async () => {
    const present = await findTenant(shards, tenantId)
    return await withRegistry(shards.directory, tenantId, async (registry) => {
      const row = await registry.read()
      const begun = row !== undefined && row.state !== 'settled' ? row : undefined
      if (begun === undefined && present.id === targetId) {
        // The connection was lost after the last change.
        if (from !== undefined) return { tenant_id: tenantId, from, to: targetId, pause_ms: pauseMs }
        throw new Error(`Tenant ${tenantId} is in shard ${targetId} already`)
      }
      requireSameMove(tenantId, targetId, begun)
      const otherId = begun?.state === 'leaving' ? (begun.other_id as number) : targetId
      return await withShards(shards, present.id, otherId, async (here, other) => {
        const [source, target] = begun?.state === 'leaving' ? [other, here] : [here, other]
        if (begun === undefined) await requireReady(shards, source, target)
        const moving = begun === undefined ? await begin(registry, source, target, tenantId) : await registry.takeOver()
        from = source.id
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
  return await withRegistry(shards.directory, tenantId, async (registry) => {
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

/** Copies the tenant and switches it. Returns the length of the pause, or null if the switch was ending already. */
async function copyAndSwitch(work: Work, row: MoveRow): Promise<number | null> {
  const { move, registry, options } = work
  if (row.state === 'switching' && (await endSwitch(move, registry))) {
    options.note('The tenant was just being switched: going on')
    return null
  }
  await copy(work)
  return await switchTenant(work)
}
