import { setTimeout as delay } from 'node:timers/promises'

const HOUR_MS = 3_600_000

/** Waits for the next hour of UTC if this one is nearly over: for a test that counts by hours, up to the present one. */
export async function untilHourLasts(ms = 30_000): Promise<void> {
  const left = HOUR_MS - (Date.now() % HOUR_MS)
  if (left < ms) await delay(left)
}
