import type { Message } from './messages.ts'

/**
 * Time limits of the parent and of its processes. A process that is stuck must not delay the metrics of the others; Prometheus waits 10 seconds.
 * The process that was asked first waits longer than its parent, which waits for the stuck one.
 */
export const METRICS_LIMIT_MS = { parent: 3_000, child: 5_000 }

/** Requests metrics from the process at the other end, and returns them when that process requests them. */
export class MetricsExchange {
  readonly #send: (message: Message) => void
  readonly #own: () => Promise<string[]>
  readonly #limitMs: number
  readonly #asked = new Map<number, (texts: string[]) => void>()
  #lastId = 0

  constructor(send: (message: Message) => void, own: () => Promise<string[]>, limitMs: number) {
    this.#send = send
    this.#own = own
    this.#limitMs = limitMs
  }

  /** Texts in the format of Prometheus; empty when there is no response in time. */
  ask(): Promise<string[]> {
    const id = ++this.#lastId
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#end(id, []), this.#limitMs)
      this.#asked.set(id, (texts) => {
        clearTimeout(timer)
        resolve(texts)
      })
      this.#send({ kind: 'askMetrics', id })
    })
  }

  /** Call it with every message from the other end. */
  receive(message: Message): void {
    if (message.kind === 'metrics') this.#end(message.id, message.texts)
    if (message.kind === 'askMetrics') void this.#respond(message.id)
  }

  #end(id: number, texts: string[]): void {
    this.#asked.get(id)?.(texts)
    this.#asked.delete(id)
  }

  async #respond(id: number): Promise<void> {
    this.#send({ kind: 'metrics', id, texts: await this.#own().catch(() => []) })
  }
}
