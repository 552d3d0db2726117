import { useEffect, useState } from 'react'
import { formatUtc } from '../../shared/format.ts'
import { t } from '../../shared/texts/texts.ts'
import { serverNow } from '../data/client.ts'

const MINUTE_S = 60
const HOUR_S = 3_600
const DAY_S = 86_400

/** A moment to come as "in 2 min", counting down, with UTC in its title. */
export function TimeUntil({ at }: { at: string }) {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={at} title={formatUtc(at)}>
      {textUntil((Date.parse(at) - now) / 1_000)}
    </time>
  )
}

function textUntil(seconds: number): string {
  if (seconds < 1) return t.relative.now
  if (seconds < MINUTE_S) return t.relative.seconds(Math.round(seconds))
  if (seconds < HOUR_S) return t.relative.minutes(Math.round(seconds / MINUTE_S))
  if (seconds < DAY_S) return t.relative.hours(Math.round(seconds / HOUR_S))
  return t.relative.days(Math.round(seconds / DAY_S))
}
