import type { Shard, Shards } from '../shards.ts'
import { isFenceClosed, reopenSource, takeFence } from './fence.ts'
import { type Registry, withRegistry } from './registry.ts'
import { type Move, moveOf, type Side, MoveTakenOverError, withSides } from './side.ts'

/**
 * Ends a switch that was interrupted. Returns true when the target was open already, so that the tenant is there from now on; otherwise the source is open
 * again, and the move goes on copying.
 */
export async function endSwitch(move: Move, registry: Registry): Promise<boolean> {
  if ((await isFenceClosed(move, move.target)) === false) {
    await registry.switchOver(move.epoch)
    return true
  }
  await reopenSource(move)
  await registry.setState(move.epoch, { from: 'switching', to: 'copying' })
  return false
}

/** Time limit of a statement that ends the switch of a dead command: those of other tenants wait for their turn. */
const STATEMENT_MS = 3_000

/** Ends the switch of a tenant whose command has died, so that the tenant is served. Does nothing while the command lives. */
export async function endDeadSwitch(shards: Shards, tenantId: number): Promise<void> {
  const shardOf = (id: number | null): Shard | undefined =>
    shards.all.find((shard): shard is Shard => shard.id === id && shard.db !== undefined)
  const end = async (registry: Registry): Promise<void> => {
    const row = await registry.read()
    const [source, target] = [shardOf(row?.shard_id ?? null), shardOf(row?.other_id ?? null)]
    if (row?.state !== 'switching' || source === undefined || target === undefined) return
    const endBetween = async (from: Side, to: Side): Promise<void> => {
      const move = moveOf(await registry.takeOver(), from, to)
      await takeFence(move, to, true)
      await takeFence(move, from, false)
      await endSwitch(move, registry)
    }
    await withSides(source, target, endBetween, STATEMENT_MS)
  }
  await withRegistry(shards.directory, tenantId, end, STATEMENT_MS).catch((error: unknown) => {
    if (!(error instanceof MoveTakenOverError)) throw error
  })
}
