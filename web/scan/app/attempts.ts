import { interruptionOf } from '../queue/interruption.ts'
import { newPickId } from './pick-id.ts'

/** Attempts to do the same have the same key: what was done although its answer was lost is not done twice. */
export class Attempts {
  #open: { what: string; key: string } | undefined

  /** Whether it is not known what became of the last one. */
  get isOpen(): boolean {
    return this.#open !== undefined
  }

  async of<T>(what: string, call: (key: string) => PromiseLike<T>): Promise<T> {
    if (this.#open?.what !== what) this.#open = { what, key: newPickId() }
    try {
      const result = await call(this.#open.key)
      this.#open = undefined
      return result
    } catch (error) {
      // Refused: nothing was done.
      if (interruptionOf(error) === undefined) this.#open = undefined
      throw error
    }
  }
}
