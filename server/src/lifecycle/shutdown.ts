import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { handOverConnections } from '../http/hand-over.ts'
import { runStages, type StopStage } from '../runtime/stop-stages.ts'

/** Less than the 28 seconds after which `main.ts` ends the process. */
const STOP_WITHIN_MS = 27_500

/**
 * The parts of a process in the order in which they stop, and what each leaves of the time to those after it. A part stops before those that
 * it uses: a request needs the engine that it wakes, and all need the database.
 */
const STOP_ORDER = [
  { name: 'the API', restMs: 6_000 },
  { name: 'the replica', restMs: 5_000 },
  // Together: an engine waits for its requests in flight.
  { name: 'the deliveries and the shards', restMs: 5_000 },
  { name: 'monitoring', restMs: 5_000 },
  { name: 'metrics', restMs: 0 },
  { name: 'maintenance', restMs: 4_000 },
  { name: 'the database', restMs: 500 },
  { name: 'tracing', restMs: 0 },
] as const

type Part = (typeof STOP_ORDER)[number]['name']

/** The end of a server process: stops the parts that it has started. */
export class Shutdown {
  readonly #config: Pick<Config, 'role' | 'stopDelaySeconds'>
  readonly #stops = new Map<Part, StopStage['stop'][]>()
  readonly #servers: FastifyInstance[] = []
  readonly #begun = new AbortController()
  #ended: Promise<void> | undefined

  constructor(config: Pick<Config, 'role' | 'stopDelaySeconds'>) {
    this.#config = config
  }

  /** Whether `stop` was called. */
  get isBegun(): boolean {
    return this.#begun.signal.aborted
  }

  /** Adds what has started. What is added under the same name stops at the same time. */
  add(part: Part, stop: StopStage['stop']): void {
    this.#stops.set(part, [...(this.#stops.get(part) ?? []), stop])
  }

  /** Adds a server, whose connections a hand-over gives to other processes. */
  addServer(part: Part, server: FastifyInstance, stop: StopStage['stop']): void {
    this.#servers.push(server)
    this.add(part, stop)
  }

  /** Stops all, after the delay in which load balancers notice. Throws what failed, or had no time to stop in good order. */
  async stop(): Promise<void> {
    const deadlineMs = performance.now() + STOP_WITHIN_MS
    this.#begun.abort()
    if (this.#config.role !== 'worker') await delay(this.#config.stopDelaySeconds * 1_000)
    await this.end(deadlineMs)
  }

  /**
   * Hands the port over to other processes without failing a request, then stops all. A `stop` meanwhile ends the hand-over. Until the end the
   * process stays ready: a load balancer sees all processes as one server, and the others are ready.
   */
  async handOver(): Promise<void> {
    await Promise.all(this.#servers.map((server) => handOverConnections(server, this.#begun.signal)))
    await this.end()
  }

  /** Stops all at once, by the deadline of the first call. */
  end(deadlineMs = performance.now() + STOP_WITHIN_MS): Promise<void> {
    return (this.#ended ??= runStages(this.#stages(), deadlineMs))
  }

  #stages(): StopStage[] {
    return STOP_ORDER.flatMap(({ name, restMs }) => {
      const stops = this.#stops.get(name)
      if (stops === undefined) return []
      return [{ name, restMs, stop: (leftMs) => Promise.all(stops.map(async (stop) => stop(leftMs))) }]
    })
  }
}
