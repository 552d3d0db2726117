/** The result of some work. */
export interface WorkResult {
  /** Whether there was something to do. */
  worked: boolean
  /** There may be more to do at once. */
  again: boolean
}

/** One kind of work. */
export interface Step {
  isDue(): boolean
  run(): Promise<WorkResult>
}

/** Runs steps that are due: all of them, or one at each call, in turn. */
export class Rotation {
  #next = 0

  async runAll(steps: readonly Step[]): Promise<WorkResult> {
    const result = { worked: false, again: false }
    for (const step of steps) {
      if (!step.isDue()) continue
      const { worked, again } = await step.run()
      result.worked ||= worked
      result.again ||= again
    }
    return result
  }

  async runNext(steps: readonly Step[]): Promise<WorkResult> {
    const inTurn = [...steps.slice(this.#next), ...steps.slice(0, this.#next)]
    const step = inTurn.find((each) => each.isDue())
    if (step === undefined) return { worked: false, again: false }
    this.#next = (steps.indexOf(step) + 1) % steps.length
    const { worked, again } = await step.run()
    return { worked, again: again || inTurn.some((each) => each !== step && each.isDue()) }
  }
}
