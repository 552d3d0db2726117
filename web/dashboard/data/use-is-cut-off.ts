import { useSyncExternalStore } from 'react'
import { lostPulses } from './client.ts'
import { useStore } from './store.ts'

/** Whether this page is without a connection: the bar of the frame says so of everything on the screen. */
export function useIsCutOff(): boolean {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine)
  const isLost = useStore(lostPulses) > 1
  return !isOnline || isLost
}

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}
