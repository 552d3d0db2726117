import { createStore } from './store.ts'

/** How long rows wait after the pointer has left: long enough for the way to what shows them. A list that nobody points at is live again. */
const LEFT_MS = 60_000

interface Pointed {
  /** Names the list, or its bar. */
  area: string
  /** Whether the pointer is over it. Otherwise it was, less than a minute ago. */
  isOver: boolean
}

/**
 * The list that the pointer is over. Then no list of the screen shows new rows by itself: in one above, they would move the row under the pointer.
 */
export const pointedList = createStore<Pointed | undefined>(undefined)

let leaving: ReturnType<typeof setTimeout> | undefined

export function enterList(area: string): void {
  clearTimeout(leaving)
  pointedList.set((pointed) => (pointed?.area === area && pointed.isOver ? pointed : { area, isOver: true }))
}

export function leaveList(area: string): void {
  if (pointedList.get()?.area !== area) return
  pointedList.set(() => ({ area, isOver: false }))
  clearTimeout(leaving)
  leaving = setTimeout(() => pointedList.set(() => undefined), LEFT_MS)
}

/** The list is not on screen any more. */
export function forgetList(area: string): void {
  pointedList.set((pointed) => (pointed?.area === area ? undefined : pointed))
}
