import { scan } from './en-scan.ts'

/** The texts of the scan app. A second language is a second file of this shape, chosen by `navigator.languages`. */
export const t = scan
