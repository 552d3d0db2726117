import { useEffect, useState } from 'react'

/** Seconds until a moment, counting down. It is not announced anew each second. */
export function Countdown({ until, text }: { until: number; text: (seconds: number) => string }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return <p role="timer">{text(Math.max(0, Math.ceil((until - now) / 1_000)))}</p>
}
