import { formatClock, formatDay, formatTime, formatUtc } from '../../shared/format.ts'

/** Hours and minutes of a moment of today, with UTC in its title. */
export function Clock({ at }: { at: Date }) {
  return (
    <time dateTime={at.toISOString()} title={formatUtc(at)}>
      {formatClock(at)}
    </time>
  )
}

/** A moment in the browser's zone, with UTC in its title. */
export function Time({ at }: { at: string | null | undefined }) {
  if (at === null || at === undefined) return <None />
  return (
    <time dateTime={at} title={formatUtc(at)}>
      {formatTime(at)}
    </time>
  )
}

export function Day({ date }: { date: string }) {
  return <time dateTime={date}>{formatDay(date)}</time>
}

const DASH = '–'

/** What stands for a value that is not there. */
export function None() {
  return (
    <span aria-hidden data-none>
      {DASH}
    </span>
  )
}

/** A text of the data, or the sign that there is none. */
export function Value({ text }: { text: string | number | null | undefined }) {
  return text === null || text === undefined || text === '' ? <None /> : <>{text}</>
}
