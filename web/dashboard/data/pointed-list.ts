import { createStore } from './store.ts'

/** Whether the pointer is over a list. Then no list of the screen shows new rows by itself: in one above, they would move the row under the pointer. */
export const isListPointed = createStore(false)
