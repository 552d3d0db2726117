import { idleMs, setIdle } from '../../shared/page-fetch.ts'
import { idleSince } from './idle-since.ts'

const KEY = 'scan-used-at'

/** Keeps when the app was used last. */
export const keepLastUse = (): void => inStorage((storage) => storage.setItem(KEY, String(Date.now() - idleMs())))

/** Goes on from there: a restart of the app is no use of it. */
export const resumeIdle = (): void => inStorage((storage) => setIdle(idleSince(storage.getItem(KEY), Date.now())))

/** Some browsers keep nothing for a site, and throw. */
function inStorage(run: (storage: Storage) => void): void {
  try {
    run(localStorage)
  } catch {
    // Then each start counts as use.
  }
}
