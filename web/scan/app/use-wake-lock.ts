import { useEffect } from 'react'

/** Keeps the screen of the device on while the component is shown. Browsers have that over HTTPS. */
export function useWakeLock(): void {
  useEffect(() => {
    if (!('wakeLock' in navigator)) return undefined
    let lock: WakeLockSentinel | undefined
    const ended = new AbortController()
    const hold = async (): Promise<void> => {
      if (document.visibilityState !== 'visible') return
      // Refused when the battery is low.
      lock = await navigator.wakeLock.request('screen').catch(() => undefined)
      if (ended.signal.aborted) await lock?.release()
    }
    void hold()
    // The browser ends it when the page is hidden.
    document.addEventListener('visibilitychange', () => void hold(), { signal: ended.signal })
    return () => {
      ended.abort()
      void lock?.release()
    }
  }, [])
}
