import { t } from '../../shared/texts/scan-texts.ts'

const PERMITTED_MS = 2 * 60_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

let differenceMs = 0

/** Compares the device's clock with the server's. Nothing depends on it: the server judges by its own. */
export function readServerTime(serverTime: string): void {
  differenceMs = Date.now() - Date.parse(serverTime)
}

/** A sentence on a clock that is wrong by more than 2 minutes. */
export function clockNotice(): string | undefined {
  const difference = Math.abs(differenceMs)
  if (!(difference > PERMITTED_MS)) return undefined
  const isHours = difference >= HOUR_MS
  const value = Math.round(difference / (isHours ? HOUR_MS : MINUTE_MS))
  return t.connection.wrongClock(`${value} ${isHours ? 'h' : 'min'}`)
}
