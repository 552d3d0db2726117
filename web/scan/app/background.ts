import { FulfillmentError } from '@fulfillment/sdk'
import { idleMs } from '../../shared/page-fetch.ts'
import { TakenOverError } from '../store/store.ts'
import { lineOf } from '../picking/view.ts'
import { keyOfBatch } from '../picking/walk.ts'
import type { App } from './app.ts'
import { refreshFlow } from './flows.ts'
import { keepLastUse, resumeIdle } from './last-use.ts'
import { readOwnFlows } from './own-flows.ts'
import { whileSending } from './page-lock.ts'
import { walkView } from './picking-actions.ts'
import { checkSession, signOut } from './session.ts'

const REFRESH_MS = 10_000
const CHECK_IDLE_MS = 30_000
/** As on the server. */
const SIGN_OUT_AFTER_MS = 60 * 60_000
const RESTART_MS = 2_000

/** Starts what runs beside the screens: sending, reading the flow on screen again, watching the connection and the operator. */
export function startBackground(app: App, signal: AbortSignal): void {
  void send(app, signal)
  refreshAfterSending(app)
  addEventListener('online', () => resume(app), { signal })
  addEventListener('offline', () => app.set({ isOnline: false }), { signal })
  // It is hidden before it goes.
  const changeVisibility = (): void => (document.visibilityState === 'visible' ? resume(app) : keepLastUse())
  document.addEventListener('visibilitychange', changeVisibility, { signal })
  const timer = setInterval(() => {
    // A hidden page does not know how long the device sleeps.
    if (document.visibilityState === 'visible') keepLastUse()
    void signOutIdle(app)
  }, CHECK_IDLE_MS)
  signal.addEventListener('abort', () => clearInterval(timer))
  resumeIdle()
  void checkOperator(app)
}

function resume(app: App): void {
  app.sender.retry()
  void checkOperator(app)
  void refreshScreen(app)
}

async function checkOperator(app: App): Promise<void> {
  await signOutIdle(app)
  await checkSession(app)
}

/** Signs out an operator who has been away for too long. The next one is asked for at once, however late the server answers. */
async function signOutIdle(app: App): Promise<void> {
  if (idleMs() <= SIGN_OUT_AFTER_MS || !app.kept.session?.operator) return
  if (app.ui.needs === undefined) app.set({ needs: 'badge' })
  app.isSigningOut = true
  try {
    await signOut(app)
  } finally {
    app.isSigningOut = false
  }
}

/** Reads again what is picked on the screen. Of a batch, its running flows and the one at hand, whose stock is that of all slots. */
async function refreshScreen(app: App): Promise<void> {
  const { screen } = app.ui
  if ('flow' in screen) return await refreshFlow(app, screen.flow)
  if (!(screen.name === 'batch' || screen.name === 'finish-batch') || screen.record === undefined) return
  await readOwnFlows(app).catch(() => undefined)
  const view = walkView(app.kept, keyOfBatch(screen.record))
  const flow = view && lineOf(view, view.current)?.flow
  if (flow !== undefined) await refreshFlow(app, flow.id)
}

async function send(app: App, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await whileSending(() => app.sender.run(signal), signal)
    } catch (error) {
      if (!(error instanceof FulfillmentError)) console.warn(error)
    }
    if (signal.aborted) return
    await new Promise((resolve) => setTimeout(resolve, RESTART_MS))
    // What was under way when the sender failed waits again.
    await app.store
      .commit(() => ({ events: [{ type: 'opened' }] }))
      .catch((error: unknown) => {
        if (error instanceof TakenOverError) app.set({ isFrozen: true })
      })
    if (app.ui.isFrozen) return
  }
}

/** Others may change the order meanwhile. */
function refreshAfterSending(app: App): void {
  let readAt = 0
  app.onSent = () => {
    if (performance.now() - readAt < REFRESH_MS) return
    readAt = performance.now()
    void refreshScreen(app)
  }
}
