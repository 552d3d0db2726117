import { interruptionOf } from '../queue/interruption.ts'
import { newPickId } from './pick-id.ts'

/** What was sent and has no answer, and its key. */
export interface OpenAttempt {
  what: string
  key: string
}

/** Keeps the open attempt, or that there is none, beyond a reload. */
type Keep = (open: OpenAttempt | undefined) => Promise<unknown>

/** Attempts to do the same have the same key: what was done although its answer was lost is not done twice. */
export class Attempts {
  #open: OpenAttempt | undefined
  readonly #keep: Keep

  constructor(open?: OpenAttempt, keep: Keep = async () => undefined) {
    this.#open = open
    this.#keep = keep
  }

  /** Whether it is not known what became of the last one. */
  get isOpen(): boolean {
    return this.#open !== undefined
  }

  async of<T>(what: string, call: (key: string) => PromiseLike<T>): Promise<T> {
    const open = this.#open?.what === what ? this.#open : { what, key: newPickId() }
    this.#open = open
    await this.#keep(open)
    try {
      const result = await call(open.key)
      this.#end()
      return result
    } catch (error) {
      // Refused: nothing was done.
      if (interruptionOf(error) === undefined) this.#end()
      throw error
    }
  }

  #end(): void {
    this.#open = undefined
    void this.#keep(undefined)
  }
}
