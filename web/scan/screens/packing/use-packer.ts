import { useState, useSyncExternalStore } from 'react'
import { useApp } from '../../app/use-app.ts'
import { useRepeated } from '../../app/use-repeated.ts'
import { Packer } from '../../packing/packer.ts'

/** Packs an order while its screen is shown, and reads it again from time to time: others may pick or pack it too. */
export function usePacker(orderId: number): Packer {
  const app = useApp()
  const [packer] = useState(() => new Packer(app, orderId))
  useSyncExternalStore(packer.subscribe, () => packer.version)
  useRepeated(packer.refresh, [packer])
  return packer
}
