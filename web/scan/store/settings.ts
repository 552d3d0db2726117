import { DEFAULT_WEDGE, type WedgeSettings } from '../wedge/wedge.ts'

/** Settings of the device. */
export interface Settings extends WedgeSettings {
  /** A product is scanned after its location. */
  isLocationFirst: boolean
}

export const DEFAULT_SETTINGS: Settings = { ...DEFAULT_WEDGE, isLocationFirst: true }
