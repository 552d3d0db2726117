import { scanPacking } from './en-scan-packing.ts'

/** The texts of the scan app's tile Pack, which are loaded with it. */
export const packing = scanPacking
