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

function dismiss(id: number): void {
  messages.set(({ shown, kept }) => ({ shown: shown.filter((message) => message.id !== id), kept }))
}
