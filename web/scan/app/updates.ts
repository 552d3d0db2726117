import { idleMs } from '../../shared/page-fetch.ts'
import { serviceWorkerUrl } from '../script-urls.ts'
import type { App } from './app.ts'

const SCOPE = '/scan'
const LOOK_MS = 30 * 60_000
const CHECK_IDLE_MS = 10_000
const IDLE_MS = 60_000

/** Installs the service worker, which opens the app without a connection, and looks for new builds. Over plain HTTP there is none. */
export async function keepUpToDate(app: App, signal: AbortSignal): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  const { serviceWorker } = navigator
  const registration = await serviceWorker.register(serviceWorkerUrl(), { scope: SCOPE })
  const look = (): void =>
    app.set({ update: serviceWorker.controller === null ? undefined : (registration.waiting ?? undefined) })
  look()
  registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', look))
  const asking = setInterval(() => void registration.update().catch(() => undefined), LOOK_MS)
  const idling = setInterval(() => {
    if (app.kept.entries.length === 0 && idleMs() > IDLE_MS) update(app)
  }, CHECK_IDLE_MS)
  signal.addEventListener('abort', () => {
    clearInterval(asking)
    clearInterval(idling)
  })
}

/** Takes the new build: all that is on the screen is in the store. */
export function update({ ui }: App): void {
  if (ui.update === undefined) return
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
  // A worker has no origin to name.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  ui.update.postMessage('activate')
}
