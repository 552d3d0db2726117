/** A sample in time: `latest` is the last event number taken, and all transactions below `next` had begun. */
export interface Tick {
  latest: number
  next: number
}

const MAX_TICKS = 100

/**
 * Judges ticks by the oldest open transaction: the highest number that is `final`, undefined if none is, and the ticks that are still `open`. Of too
 * many, only every second one is kept: while a transaction is open for a long time, ticks may be further apart.
 */
export function judged<T extends Tick>(ticks: readonly T[], oldest: number): { final: number | undefined; open: T[] } {
  let final: number | undefined
  const open: T[] = []
  for (const tick of ticks)
    if (tick.next > oldest) open.push(tick)
    else final = Math.max(final ?? 0, tick.latest)
  return { final, open: open.length > MAX_TICKS ? open.filter((_, index) => index % 2 === 0) : open }
}
