import { useEffect, useState, useSyncExternalStore } from 'react'
import { useApp } from '../../app/use-app.ts'
import { Packer } from '../../packing/packer.ts'

const READ_AGAIN_MS = 15_000

/** Packs an order while its screen is shown, and reads it again from time to time: others may pick or pack it too. */
export function usePacker(orderId: number): Packer {
  const app = useApp()
  const [packer] = useState(() => new Packer(app, orderId))
  useSyncExternalStore(packer.subscribe, () => packer.version)
  const { isOnline } = app.ui
  useEffect(() => {
    const refresh = (): void => void packer.refresh()
    refresh()
    const timer = setInterval(refresh, READ_AGAIN_MS)
    return () => clearInterval(timer)
  }, [packer, isOnline])
  return packer
}
