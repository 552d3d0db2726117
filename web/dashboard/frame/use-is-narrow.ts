import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 799px)')

/** Whether the screen is too narrow for the navigation at its side. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches)
}

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}
