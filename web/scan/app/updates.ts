import { idleMs } from '../../shared/page-fetch.ts'
import { serviceWorkerUrl } from '../script-urls.ts'
import type { App } from './app.ts'
import type { Screen } from './screen.ts'

const SCOPE = '/scan'
const LOOK_MS = 30 * 60_000
const CHECK_IDLE_MS = 10_000
const IDLE_MS = 60_000
/** Screens that are in the store, or read from the server. Others hold what was typed or scanned, and the key of a call without an answer. */
const STORED = new Set<Screen['name']>(['queue', 'pick', 'finish', 'finish-batch', 'problems'])
/** Tiles whose lists are read from the server. */
const LISTS = new Set<Screen['name']>(['receive', 'return', 'count-list', 'pack'])

/** Installs the service worker, which opens the app without a connection, and looks for new builds. Over plain HTTP there is none. */
export async function keepUpToDate(app: App, signal: AbortSignal): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  const { serviceWorker } = navigator
  const registration = await serviceWorker.register(serviceWorkerUrl(), { scope: SCOPE })
  const look = (): void => {
    const update = serviceWorker.controller === null ? undefined : (registration.waiting ?? undefined)
    if (update !== app.ui.update) app.set({ update })
  }
  const watch = (): void => registration.installing?.addEventListener('statechange', look)
  look()
  // One may be installing already.
  watch()
  registration.addEventListener('updatefound', watch)
  const asking = setInterval(() => void registration.update().catch(() => undefined), LOOK_MS)
  const idling = setInterval(() => {
    look()
    if (app.kept.entries.length === 0 && idleMs() > IDLE_MS && isAllStored(app)) update(app)
  }, CHECK_IDLE_MS)
  signal.addEventListener('abort', () => {
    clearInterval(asking)
    clearInterval(idling)
  })
}

/** Whether a reload shows the same again: a problem, a question, a key and the code of an enrolment are in memory alone. */
function isAllStored({ ui: { screen, needs, problem, code }, unanswered }: App): boolean {
  if (code !== undefined || document.querySelector('dialog[open]') !== null) return false
  // Nobody works, and the screen of the address is not shown.
  if (needs !== undefined) return true
  if (problem !== undefined || unanswered.size > 0) return false
  return STORED.has(screen.name) || (LISTS.has(screen.name) && !('record' in screen))
}

/** Takes the new build. */
export function update({ ui }: App): void {
  if (ui.update === undefined) return
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
  // A worker has no origin to name.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  ui.update.postMessage('activate')
}
