import { useEffect } from 'react'
import { useApp } from '../../app/use-app.ts'
import { refreshRecord } from '../../goods/actions.ts'
import type { RecordRef } from '../../queue/entry.ts'

const READ_AGAIN_MS = 15_000

/** Reads a record again while its screen is shown: others may receive or count it too. */
export function useFresh({ kind, id }: RecordRef): void {
  const app = useApp()
  const { isOnline } = app.ui
  useEffect(() => {
    const refresh = (): void => void refreshRecord(app, { kind, id })
    refresh()
    const timer = setInterval(refresh, READ_AGAIN_MS)
    return () => clearInterval(timer)
  }, [app, kind, id, isOnline])
}
