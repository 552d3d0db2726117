import { createContext, type ReactNode, useState } from 'react'
import type { Call } from '../../shared/curl.ts'

export interface ScreenRead {
  call: Call
  isMain: boolean
}

/** What the screen has read, for `Copy as curl`. */
export const ScreenReads = createContext(new Map<string, ScreenRead>())

export function ScreenReadsProvider({ children }: { children: ReactNode }) {
  const [reads] = useState(() => new Map<string, ScreenRead>())
  return <ScreenReads value={reads}>{children}</ScreenReads>
}

/** The calls of a screen, the main one first. */
export function callsOf(reads: ReadonlyMap<string, ScreenRead>): Call[] {
  return [...reads.values()].toSorted((a, b) => Number(b.isMain) - Number(a.isMain)).map(({ call }) => call)
}
