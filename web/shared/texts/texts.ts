import { en } from './en.ts'

/** The texts of the pages. A second language is a second file of this shape, chosen by `navigator.languages`. */
export const t = en
