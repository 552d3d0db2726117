import { createStore } from '../data/store.ts'

const STORED = 'single-key-shortcuts'

/** Whether keys without Ctrl do something; kept in this browser (WCAG 2.1.4). */
export const areSingleKeysOn = createStore(read())

function read(): boolean {
  try {
    return localStorage.getItem(STORED) !== 'off'
  } catch {
    return true
  }
}

export function setSingleKeys(isOn: boolean): void {
  areSingleKeysOn.set(() => isOn)
  try {
    localStorage.setItem(STORED, isOn ? 'on' : 'off')
  } catch {
    // Storage is off: it lasts until the page is closed.
  }
}
