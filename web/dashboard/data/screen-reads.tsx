import { createContext, type ReactNode, use, useEffect, useState } from 'react'
import type { Call } from '../../shared/curl.ts'

interface ScreenRead {
  call: Call
  isMain: boolean
}

/** What the screen has read, for `Copy as curl`. */
export const ScreenReads = createContext(new Map<string, ScreenRead>())

export function ScreenReadsProvider({ children }: { children: ReactNode }) {
  const [reads] = useState(() => new Map<string, ScreenRead>())
  return <ScreenReads value={reads}>{children}</ScreenReads>
}

/** Tells what the screen reads. `id` names the read; without a call there is none. */
export function useScreenRead(id: string, call: Call | undefined, isMain: boolean): void {
  const reads = use(ScreenReads)
  useEffect(() => {
    if (call === undefined) return undefined
    reads.set(id, { call, isMain })
    return () => void reads.delete(id)
  })
}

/** The calls of a screen, the main one first. */
export function callsOf(reads: ReadonlyMap<string, ScreenRead>): Call[] {
  return [...reads.values()].toSorted((a, b) => Number(b.isMain) - Number(a.isMain)).map(({ call }) => call)
}
