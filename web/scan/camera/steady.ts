/** Takes a reading for a code only when the next one is equal: a single picture may be misread. */
export class Steady {
  #last: string | undefined

  /** The code, if this reading is equal to the one before. Pictures without a code do not count. */
  read(text: string | undefined): string | undefined {
    if (text === undefined) return undefined
    const isSame = text === this.#last
    this.#last = text
    return isSame ? text : undefined
  }
}
