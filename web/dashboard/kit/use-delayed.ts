import { useEffect, useState } from 'react'

const AFTER_MS = 150

/** A value some time after its last change. */
export function useDelayed<T>(value: T, afterMs = AFTER_MS): T {
  const [delayed, setDelayed] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), afterMs)
    return () => clearTimeout(timer)
  }, [value, afterMs])
  return delayed
}
