/** Runs what it is given one after the other, in the order of the calls, also after one that failed. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  take<T>(run: () => T | Promise<T>): Promise<T> {
    const taken = this.#last.catch(() => undefined).then(run)
    this.#last = taken
    return taken
  }

  /** What is taken from now on also waits for this. */
  hold(running: Promise<unknown>): void {
    this.#last = Promise.allSettled([this.#last, running])
  }
}
