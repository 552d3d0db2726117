import type { FastifyBaseLogger } from 'fastify'
import { WritePositions } from '../database/replica/write-positions.ts'
import { AuditTrail } from '../domain/audit/index.ts'
import { FeedHorizon } from '../domain/events/index.ts'
import { PerShard } from '../shards/per-shard.ts'
import type { Shards } from '../shards/shards.ts'
import { KeyCache } from './key-cache.ts'
import { UsageCounter } from './usage-counter.ts'

/** Services that all requests share. They hold data in memory: what was read, and what is still to be written. */
export interface Services {
  keys: KeyCache
  trails: PerShard<AuditTrail>
  positions: WritePositions
  usage: UsageCounter
  feedHorizons: PerShard<FeedHorizon>
  /** Writes what is still to be written. */
  close(): Promise<void>
}

export function openServices(shards: Shards, log: FastifyBaseLogger): Services {
  const reporting = (failure: string) => (err: unknown) => log.warn({ err }, failure)
  const keys = new KeyCache(shards, reporting('could not record the last use of API keys'))
  const trails = new PerShard(
    shards,
    (db) => new AuditTrail(db, reporting('could not add errors to the audit log')),
    (trail) => trail.close(),
  )
  const positions = new WritePositions(
    shards.directory,
    reporting('could not record the write positions that replicas must reach'),
  )
  const usage = new UsageCounter(shards, reporting('could not record the usage of the API'))
  const feedHorizons = new PerShard(
    shards,
    (db) => new FeedHorizon(db),
    (horizon) => horizon.close(),
  )
  const close = async (): Promise<void> => {
    await Promise.all([feedHorizons, keys, positions, trails, usage].map((one) => one.close()))
  }
  return { keys, trails, positions, usage, feedHorizons, close }
}
