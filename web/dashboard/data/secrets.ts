import type { ReactNode } from 'react'
import { createStore } from './store.ts'

/** Draws a value that is shown only once, until it is closed. */
export type Secret = (close: () => void) => ReactNode

/** Those that nobody has closed yet; the first is on screen. */
export const secrets = createStore<readonly { id: number; draw: Secret }[]>([])

/** How many are being made. */
export const secretsUnderWay = createStore(0)

let lastId = 0

export function showSecret(draw: Secret): void {
  const id = ++lastId
  secrets.set((before) => [...before, { id, draw }])
}

export function closeSecret(id: number): void {
  secrets.set((before) => before.filter((one) => one.id !== id))
}
