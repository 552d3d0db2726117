import { setTimeout as delay } from 'node:timers/promises'
import { raiseFence, removeFence, removeTriggers, reopenSource } from './fence.ts'
import { copyPartitions } from './partitions.ts'
import { KNOWN_AFTER_MS, type MoveOptions, untilCopied } from './progress.ts'
import type { MoveRow, Registry } from './registry.ts'
import { removeRows } from './remove-rows.ts'
import { isReplicating, publish, slotsOfTables, subscribe, unpublish, unsubscribe } from './replication.ts'
import type { Move } from './side.ts'
import type { TenantTable } from './tables.ts'

/** A move that this command works at. */
export interface Work {
  move: Move
  registry: Registry
  tables: readonly TenantTable[]
  options: MoveOptions
}

/** Makes what the copy needs, each part unless it is there, and waits until all tables are copied. */
export async function copy(work: Work): Promise<void> {
  const { move, tables, options } = work
  const { source, target } = move
  options.note(`Copying tenant ${move.tenantId} and its sandbox from shard ${source.id} to shard ${target.id}`)
  await raiseFence(move, source, tables)
  await raiseFence(move, target, tables)
  if (!(await isReplicating(move))) {
    const ofTables = await slotsOfTables(move)
    await unsubscribe(move)
    if (ofTables !== undefined) await unpublish(move, [], ofTables)
    await removeRows(move, target, tables)
    await copyPartitions(move)
    await publish(move, tables)
    await subscribe(move, options.sourceUrl ?? source.db.url)
  }
  if (await untilCopied(move, options)) return
  options.note('A crash has lost a part of the copy: beginning again')
  await copy(work)
}

/** Removes what the move made, and the tenant's rows in its former shard, once every running process knows the new one. */
export async function leave({ move, registry, tables, options }: Work): Promise<void> {
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

/** Deletes the copy in the target. The tenant stays in the source. */
export async function giveUp({ move, registry, tables, options }: Work, row: MoveRow): Promise<void> {
  const { source, target } = move
  // Before the state: nobody but this command opens the source of a move that is given up.
  await reopenSource(move)
  if (row.state !== 'returning') await registry.setState(move.epoch, { from: row.state, to: 'returning' })
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
