/** The part of Vitest's fixture options that registers the end of a fixture. */
interface FixtureOptions {
  onCleanup: (end: () => Promise<void>) => void
}

/** A fixture that is a function: it calls `start`, and ends everything it started, the latest first, when the fixture's scope ends. */
export const starting =
  <Args extends unknown[], Started>(start: (...args: Args) => Promise<Started>, end: (started: Started) => Promise<unknown>) =>
  async ({}: object, { onCleanup }: FixtureOptions): Promise<(...args: Args) => Promise<Started>> => {
    const started: Started[] = []
    onCleanup(async () => {
      for (const one of started.toReversed()) await end(one)
    })
    return async (...args) => {
      const one = await start(...args)
      started.push(one)
      return one
    }
  }
