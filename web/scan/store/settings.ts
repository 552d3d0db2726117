import { DEFAULT_WEDGE, type WedgeSettings } from '../wedge/wedge.ts'

/** Settings of the device. */
export interface Settings extends WedgeSettings {
  /** A product is scanned after its location. */
  isLocationFirst: boolean
  /** In a batch, the order of a slot is scanned when the goods are in it. */
  isSlotScanned: boolean
  /** Slots on the cart: orders of a batch, at most. */
  slots: number
}

export const DEFAULT_SETTINGS: Settings = { ...DEFAULT_WEDGE, isLocationFirst: true, isSlotScanned: false, slots: 10 }
