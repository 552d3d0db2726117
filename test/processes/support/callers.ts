import { setTimeout as delay } from 'node:timers/promises'

/** Pause between two requests of a caller, to leave processor time for other tests. */
const PAUSE_MS = 10

/** Callers that keep their connections and send one request after the other. They record failures. */
export class Callers {
  readonly failures: string[] = []
  succeeded = 0
  readonly #callers: Promise<void>[]
  #isStopping = false

  constructor(url: string, key: string, count: number) {
    this.#callers = Array.from({ length: count }, (_, caller) => this.#work(url, key, caller))
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#callers)
  }

  async #work(url: string, key: string, caller: number): Promise<void> {
    for (let turn = 0; !this.#isStopping; turn++) {
      await delay(PAUSE_MS)
      const barcode = `${caller}-${turn}`
      const call = turn % 2 === 0 ? { method: 'POST', body: JSON.stringify({ name: 'Product', barcode }) } : { method: 'GET' }
      const headers = { 'x-api-key': key, ...(turn % 2 === 0 ? { 'content-type': 'application/json' } : {}) }
      try {
        const response = await fetch(`${url}/api/v1/products`, { ...call, headers })
        const text = await response.text()
        if (response.status === 200) this.succeeded += 1
        else this.failures.push(`${call.method}: ${response.status} ${text}`)
      } catch (error) {
        this.failures.push(`${call.method}: ${String((error as Error).cause ?? error)}`)
      }
    }
  }
}
