import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import { type DeliveryEngine, startDeliveryEngine, type WebhookTargetPolicy } from '../delivery/index.ts'
import { startMaintenance } from '../maintenance.ts'
import type { Encryption } from '../runtime/encryption/encryption.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import type { Shard } from '../shards/shards.ts'

/** Services and settings that background work needs. */
export interface BackgroundWorkOptions {
  config: Pick<Config, 'role' | 'shards'>
  encryption: Encryption
  webhookTargets: WebhookTargetPolicy
  log: Log
  metrics: Pick<Metrics, 'deliveryAttempted'>
}

/** Work that has started. */
export interface Work {
  /** Waits for what is in progress, such as requests to receivers. */
  stop(): Promise<unknown>
}

const NONE: Work = { stop: async () => {} }

/** Maintenance and the delivery of webhooks, for each of the shards that the process works for. */
export class BackgroundWork {
  readonly #options: BackgroundWorkOptions
  readonly #engines = new Map<Database, DeliveryEngine>()

  constructor(options: BackgroundWorkOptions) {
    this.#options = options
  }

  /** Whether the process works for a shard. */
  isFor(shardId: number): boolean {
    return this.#options.config.shards?.includes(shardId) ?? true
  }

  /** Starts all work for a shard, if there is any. */
  start(shard: Shard): Work {
    const started = [this.startMaintenance(shard), this.startDelivery(shard)]
    return { stop: () => Promise.all(started.map((work) => work.stop())) }
  }

  startMaintenance({ id, db }: Shard): Work {
    if (!this.isFor(id)) return NONE
    const { log } = this.#options
    const tasks = startMaintenance(db, (error) => log.warn({ err: error }, 'maintenance failed; it will be retried'))
    return { stop: () => Promise.all(tasks.map((task) => task.stop())) }
  }

  /** Starts the delivery engine of a shard. A process with `ROLE=api` has none. */
  startDelivery({ id, db }: Shard): Work {
    const { config, encryption, webhookTargets, log, metrics } = this.#options
    if (config.role === 'api' || !this.isFor(id)) return NONE
    const engine = startDeliveryEngine({ db, encryption, webhookTargets, log, onAttempt: metrics.deliveryAttempted })
    this.#engines.set(db, engine)
    return {
      stop: async () => {
        this.#engines.delete(db)
        await engine.stop()
      },
    }
  }

  /** Lets the engine of a database look for new deliveries now. */
  wakeDelivery(db: Database): void {
    this.#engines.get(db)?.wake()
  }

  /** Begins to stop all engines, without waiting: whoever stops their work learns whether it succeeds. */
  endDelivery(): void {
    for (const engine of this.#engines.values()) engine.stop().catch(() => {})
  }
}
