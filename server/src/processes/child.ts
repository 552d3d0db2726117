import cluster, { type Worker } from 'node:cluster'
import type { Message } from './messages.ts'
import { METRICS_LIMIT_MS, MetricsExchange } from './metrics-exchange.ts'

/** Longer than the 5 seconds of a hand-over plus the 28 of a stop. */
const HAND_OVER_LIMIT_MS = 40_000

/** The environment variable with the number of a server process. */
export const NUMBER_VARIABLE = 'PROCESS_NUMBER'

/** The message of a process that serves requests. */
export type Started = Extract<Message, { kind: 'started' }>

/** How a process ended. */
export interface End {
  code: number | null
  signal: string | null
}

/** A server process, as its parent sees it. */
export class Child {
  /** From 1 to `PROCESSES`. A replacement has the number of the process that it replaces. */
  readonly number: number
  /** Rejects when the process ends before it serves requests. */
  readonly started: Promise<Started>
  readonly ended: Promise<End>
  readonly #worker: Worker
  readonly #exchange: MetricsExchange
  #startedAt: number | undefined

  constructor(number: number, metricsOfAll: () => Promise<string[]>) {
    this.number = number
    this.#worker = cluster.fork({ [NUMBER_VARIABLE]: String(number) })
    this.#exchange = new MetricsExchange((message) => this.#send(message), metricsOfAll, METRICS_LIMIT_MS.parent)
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', (code, signal) => resolve({ code, signal }))
      // For a process that the system refused to make, such as beyond its limit of processes or files, Node reports no exit.
      this.#worker.once('error', () => {
        if (this.pid === undefined) resolve({ code: null, signal: 'not started' })
      })
    })
    this.started = new Promise((resolve, reject) => {
      this.#worker.on('message', (message: Message) => {
        this.#exchange.receive(message)
        if (message.kind !== 'started') return
        this.#startedAt = performance.now()
        resolve(message)
      })
      void this.ended.then((end) => reject(new Error(`A server process ended while it started: ${describeEnd(end)}`)))
    })
    this.started.catch(() => {})
    // Sending to a process that has just ended fails. `ended` reports the end.
    this.#worker.on('error', () => {})
  }

  get pid(): number | undefined {
    return this.#worker.process.pid
  }

  get isServing(): boolean {
    return this.#startedAt !== undefined && !this.#worker.isDead()
  }

  /** Time since it began to serve requests. */
  get servedMs(): number {
    return this.#startedAt === undefined ? 0 : performance.now() - this.#startedAt
  }

  metrics(): Promise<string[]> {
    return this.#exchange.ask()
  }

  /**
   * Lets the process complete its requests while others accept new connections, and waits for its end. A process that is still starting, because it
   * replaces one that died, does so first: it would miss the message.
   */
  async handOver(): Promise<void> {
    await this.#within(this.started.catch(() => {}))
    this.#send({ kind: 'handOver' })
    await this.#within(this.ended)
  }

  /** Waits, and kills the process when that takes too long. */
  async #within(step: Promise<unknown>): Promise<void> {
    const timer = setTimeout(() => this.#worker.process.kill('SIGKILL'), HAND_OVER_LIMIT_MS)
    await step
    clearTimeout(timer)
  }

  /**
   * Stops the process with SIGTERM and waits for its end. A process that is still starting is not interrupted, because it could leave the
   * embedded Postgres running.
   */
  async stop(): Promise<End> {
    const hasStarted = await this.started.then(
      () => true,
      () => false,
    )
    if (!hasStarted) return { code: 0, signal: null }
    this.#worker.process.kill('SIGTERM')
    return await this.ended
  }

  #send(message: Message): void {
    if (this.#worker.isConnected()) this.#worker.send(message, () => {})
  }
}

/** A description for logs. */
export function describeEnd({ code, signal }: End): string {
  return signal === null ? `exit code ${code}` : signal
}
