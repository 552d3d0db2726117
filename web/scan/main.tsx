import './base.css'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isTooOld } from '../shared/is-too-old.ts'
import { App } from './app/app.ts'
import { startBackground } from './app/background.ts'
import { holdPage } from './app/page-lock.ts'
import { reloadOnce } from './app/reload-once.ts'
import { signIn } from './app/session.ts'
import { keepUpToDate } from './app/updates.ts'
import { AppContext } from './app/use-app.ts'
import { leaveOutDoubleTaps } from './double-taps.ts'
import { takeEnrolmentCode } from './enrolment-code.ts'
import { NoStore } from './screens/no-store.tsx'
import { OtherTab } from './screens/other-tab.tsx'
import { Root } from './screens/root.tsx'
import { isNamed } from './store/database.ts'
import { Store } from './store/store.ts'
import { listenToWedge } from './wedge/listen.ts'
import { Wedge } from './wedge/wedge.ts'

const OPEN_TRIES = 3
const OPEN_PAUSE_MS = 500

/** The number of the last start that held the page. */
let newest = 0
let code = takeEnrolmentCode()
const element = document.querySelector('#root')
const root = element === null ? undefined : createRoot(element)

const show = (screen: ReactNode): void => root?.render(<StrictMode>{screen}</StrictMode>)

const takeOver = (): void => void start(true)
const takeIfFree = (): void => void startIfFree()
const showOtherTab = (): void => show(<OtherTab onUse={takeOver} onWait={takeIfFree} />)

if (!isTooOld()) void start(false)

/** Starts the app in this tab, unless another tab works. */
async function start(steal: boolean): Promise<void> {
  const lock = await holdPage(steal)
  if (lock.isHeld) await open(lock.lost, ++newest)
  else showOtherTab()
}

/** Starts the app if no other tab works any more. */
async function startIfFree(): Promise<void> {
  const lock = await holdPage(false)
  if (lock.isHeld) await open(lock.lost, ++newest)
}

/** Opens the store, and with it the app. After a crash of the browser, its database may open at the second try only. */
async function open(lost: AbortSignal, number: number): Promise<void> {
  let opened = await storeOrError()
  for (let tries = 1; !(opened instanceof Store) && tries < OPEN_TRIES && !lost.aborted; tries++) {
    await new Promise((resolve) => setTimeout(resolve, OPEN_PAUSE_MS))
    // The store belongs to the tab that has taken over meanwhile.
    if (!lost.aborted) opened = await storeOrError()
  }
  // This tab may have taken over from itself: then the later start shows something.
  if (lost.aborted && number !== newest) return
  if (lost.aborted) showOtherTab()
  else if (opened instanceof Store) run(opened, lost)
  // Another tab has a newer build, and with it a newer database.
  else if (isNamed(opened, 'VersionError') && (await reloadOnce())) return
  else show(<NoStore error={opened} onAgain={takeOver} />)
}

const storeOrError = (): Promise<unknown> => Store.open().catch((error: unknown) => error)

function run(store: Store, lost: AbortSignal): void {
  const app = new App(store, code)
  // This tab may start again after another one.
  code = undefined
  app.onBadge = (badge, at) => void signIn(app, badge, at)
  const wedge = new Wedge(store.kept.settings)
  store.subscribe(() => (wedge.settings = store.kept.settings))
  listenToWedge(wedge, ({ text, usText, at }) => app.scan([text, usText], at), lost)
  // Browsers permit sound after a tap or a key, any one: also after those of a scanner.
  for (const event of ['pointerdown', 'keydown'])
    addEventListener(event, () => app.feedback.unlock(), { capture: true, signal: lost })
  leaveOutDoubleTaps(lost)
  startBackground(app, lost)
  // Without it the app works as long as there is a connection.
  keepUpToDate(app, lost).catch((error: unknown) => console.warn(error))
  lost.addEventListener('abort', () => app.set({ isFrozen: true }))
  show(
    <AppContext value={app}>
      <Root onUse={takeOver} onWait={takeIfFree} />
    </AppContext>,
  )
}
