import cluster from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../runtime/log.ts'
import { Child, describeEnd, type Started } from './child.ts'
import { groupMetrics } from './group-metrics.ts'

/** A process that ends sooner than this is likely to fail again, so its replacement waits longer. */
const STABLE_MS = 10_000
const FIRST_BACK_OFF_MS = 500
const LONGEST_BACK_OFF_MS = 30_000

/** The server processes behind one port. Replaces those that die, and restarts them one after the other. */
export class ProcessGroup {
  readonly #size: number
  readonly #log: Log
  readonly #current = new Map<number, Child>()
  /** All running processes, including those that are starting or handing over. */
  readonly #alive = new Set<Child>()
  readonly #failures = new Map<number, number>()
  /** Numbers of processes that died and are not replaced yet. */
  readonly #missing = new Set<number>()
  /** Resolves when all have started. Before that, none is replaced: a start that fails ends the group. */
  readonly #started = Promise.withResolvers<void>()
  #replaced = 0
  #isStopping = false
  #restart: Promise<void> | undefined
  #restartAgain = false

  constructor(size: number, log: Log) {
    this.#size = size
    this.#log = log
    // The default, except on Windows. docs/decisions/0018 has the reason.
    cluster.schedulingPolicy = cluster.SCHED_RR
  }

  /**
   * Starts all processes. The first one starts alone: it creates the database, the schema and the first key, and reports invalid settings.
   * `onFirst` is called when it has started.
   */
  async start(onFirst: (first: Started) => void): Promise<Started> {
    try {
      const first = await this.#startCurrent(1)
      onFirst(first)
      await Promise.all(Array.from({ length: this.#size - 1 }, (_, index) => this.#startCurrent(index + 2)))
      this.#started.resolve()
      return first
    } catch (error) {
      await this.stop().catch(() => {})
      throw error
    }
  }

  /** Replaces the processes one after the other, without failing a request. A call during a restart starts another one after it. */
  restart(): Promise<void> {
    this.#restartAgain = this.#restart !== undefined
    return (this.#restart ??= this.#restartAll().finally(() => {
      this.#restart = undefined
      if (this.#restartAgain && !this.#isStopping) void this.restart()
    }))
  }

  /** Stops all processes at once with SIGTERM. Throws when one of them fails. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const ends = await Promise.all([...this.#alive].map((child) => child.stop()))
    const failed = ends.find(({ code }) => code !== 0)
    if (failed !== undefined) throw new Error(`A server process did not stop in good order: ${describeEnd(failed)}`)
  }

  #fork(number: number): Child {
    const child = new Child(number, () => this.#metrics())
    this.#alive.add(child)
    void child.ended.then(() => this.#alive.delete(child))
    return child
  }

  async #startCurrent(number: number): Promise<Started> {
    const child = this.#fork(number)
    this.#setCurrent(child)
    const started = await child.started
    this.#countReplacement(child)
    return started
  }

  /** Called when a process begins to serve. One that has a successor already replaces none. */
  #countReplacement(child: Child): void {
    if (this.#current.get(child.number) === child && this.#missing.delete(child.number)) this.#replaced += 1
  }

  #setCurrent(child: Child): void {
    this.#current.set(child.number, child)
    void Promise.all([child.ended, this.#started.promise]).then(([end]) => this.#replaceDead(child, describeEnd(end)))
  }

  async #replaceDead(child: Child, end: string, isRepeat = false): Promise<void> {
    const { number, pid } = child
    if (this.#isStopping || this.#current.get(number) !== child) return
    this.#missing.add(number)
    const failures = isRepeat || child.servedMs < STABLE_MS ? (this.#failures.get(number) ?? 0) + 1 : 0
    this.#failures.set(number, failures)
    const waitMs = failures === 0 ? 0 : Math.min(FIRST_BACK_OFF_MS * 2 ** (failures - 1), LONGEST_BACK_OFF_MS)
    this.#log.error({ process: number, processId: pid, end, waitMs }, 'a server process died; another replaces it')
    await delay(waitMs)
    // A restart may have replaced it meanwhile.
    if (this.#isStopping || this.#current.get(number) !== child) return
    try {
      await this.#startCurrent(number)
    } catch (error) {
      // Without memory for it, no process was made whose end would be followed by another try.
      if (this.#current.get(number) === child) await this.#replaceDead(child, String(error), true)
    }
  }

  async #restartAll(): Promise<void> {
    this.#log.info('restarting the server processes, one after the other')
    for (let number = 1; number <= this.#size && !this.#isStopping; number++) {
      let next: Child
      try {
        next = this.#fork(number)
        await next.started
      } catch (error) {
        this.#log.error({ err: error }, 'the restart ends here: the new process does not start; the others go on')
        return
      }
      if (this.#isStopping) return
      const previous = this.#current.get(number)
      this.#setCurrent(next)
      this.#countReplacement(next)
      await previous?.handOver()
    }
    this.#log.info('the server processes are restarted')
  }

  async #metrics(): Promise<string[]> {
    const serving = [...this.#current.values()].filter((child) => child.isServing)
    const texts = await Promise.all(serving.map((child) => child.metrics()))
    return [groupMetrics(serving.length, this.#replaced), ...texts.flat()]
  }
}
