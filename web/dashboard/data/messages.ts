import { createStore } from './store.ts'

/** What the page tells in passing. */
export interface Message {
  id: number
  text: string
  at: Date
}

const SHOWN_MS = 6_000
const MAX_KEPT = 20

/** Messages on screen, and all of this tab, newest first. */
export const messages = createStore<{ shown: readonly Message[]; kept: readonly Message[] }>({ shown: [], kept: [] })

let lastId = 0

/** Shows a message for six seconds; the list of notifications keeps it. */
export function announce(text: string): void {
  const message = { id: ++lastId, text, at: new Date() }
  messages.set(({ shown, kept }) => ({ shown: [...shown, message], kept: [message, ...kept].slice(0, MAX_KEPT) }))
  setTimeout(() => dismiss(message.id), SHOWN_MS)
}

/** Failures of writes that have no other place to be told: each is there until it is dismissed. */
export const failures = createStore<readonly Message[]>([])

/** Shows a failure; the list of notifications keeps it. */
export function announceFailure(text: string): void {
  const message = { id: ++lastId, text, at: new Date() }
  failures.set((before) => [...before, message])
  messages.set(({ shown, kept }) => ({ shown, kept: [message, ...kept].slice(0, MAX_KEPT) }))
}

export function dismissFailure(id: number): void {
  failures.set((before) => before.filter((message) => message.id !== id))
}

function dismiss(id: number): void {
  messages.set(({ shown, kept }) => ({ shown: shown.filter((message) => message.id !== id), kept }))
}
