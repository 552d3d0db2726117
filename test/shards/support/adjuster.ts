import { setTimeout as delay } from 'node:timers/promises'

/** A client that adjusts stock over one server, call after call. */
export class Adjuster {
  readonly acknowledged: string[] = []
  readonly faults: string[] = []
  /** The number of calls that got 503. */
  refused = 0
  /** The longest time between two acknowledged calls. */
  longestGapMs = 0
  readonly #call: (reason: string) => Promise<{ status: number; body: unknown }>
  readonly #done: Promise<void>
  readonly #thinkMs: number
  #stopping = false

  /** `thinkMs`: how long the client waits after each acknowledged call. */
  constructor(name: string, call: (reason: string) => Promise<{ status: number; body: unknown }>, { thinkMs = 0 } = {}) {
    this.#call = call
    this.#thinkMs = thinkMs
    this.#done = this.#work(name)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#done
  }

  async #work(name: string): Promise<void> {
    let lastAt = performance.now()
    for (let n = 0; !this.#stopping; n++) {
      const reason = `${name}-${n}`
      const response = await this.#call(reason).catch(() => undefined)
      if (response?.status === 200) {
        this.acknowledged.push(reason)
        this.longestGapMs = Math.max(this.longestGapMs, performance.now() - lastAt)
        lastAt = performance.now()
        if (this.#thinkMs > 0) await delay(this.#thinkMs)
      } else await delay(20)
      if (response?.status === 503) this.refused += 1
      if (response !== undefined && ![200, 503].includes(response.status))
        this.faults.push(`${response.status} ${JSON.stringify(response.body)}`)
    }
  }
}
