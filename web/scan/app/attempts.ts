import { randomId } from '../../shared/random-id.ts'
import { interruptionOf } from '../queue/interruption.ts'

/** What was sent and has no answer, and its key. */
export interface OpenAttempt {
  what: string
  key: string
}

/** Keeps the open attempt beyond a reload. */
export interface AttemptKeeper {
  keep(open: OpenAttempt): Promise<unknown>
  /** Forgets the attempt with this key, and no newer one. */
  forget(key: string): Promise<unknown>
}

const noKeeper: AttemptKeeper = { keep: async () => undefined, forget: async () => undefined }

/** Attempts to do the same have the same key: what was done although its answer was lost is not done twice. */
export class Attempts {
  #open: OpenAttempt | undefined
  readonly #keeper: AttemptKeeper

  constructor(open?: OpenAttempt, keeper = noKeeper) {
    this.#open = open
    this.#keeper = keeper
  }

  /** Whether it is not known what became of the last one. */
  get isOpen(): boolean {
    return this.#open !== undefined
  }

  async of<T>(what: string, call: (key: string) => PromiseLike<T>): Promise<T> {
    const open = this.#open?.what === what ? this.#open : { what, key: randomId() }
    this.#open = open
    await this.#keeper.keep(open)
    try {
      const result = await call(open.key)
      this.#end(open.key)
      return result
    } catch (error) {
      // Refused: nothing was done.
      if (interruptionOf(error) === undefined) this.#end(open.key)
      throw error
    }
  }

  #end(key: string): void {
    this.#open = undefined
    void this.#keeper.forget(key)
  }
}
