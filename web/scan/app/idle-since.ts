/**
 * How long ago the app was used, by the time that was kept; 0 without one. If the clock was set since, back or forward, nobody knows: it counts
 * as long ago, so that a badge is asked for rather than not.
 */
export function idleSince(usedAt: string | null | undefined, now: number): number {
  const ms = Math.abs(now - Number(usedAt ?? NaN))
  return Number.isNaN(ms) ? 0 : ms
}
