import { flushSync } from 'react-dom'
import { Api } from '../data/api.ts'
import { Feedback, type Outcome } from '../feedback.ts'
import { Sender } from '../queue/sender.ts'
import { RepeatFilter, type ScanSource } from '../wedge/repeat-filter.ts'
import { readScan, type Scanned } from '../wedge/scan-text.ts'
import { isNamed } from '../store/database.ts'
import type { OrderSteps } from '../packing/order-steps.ts'
import { type Changes, type Kept, type Store, TakenOverError } from '../store/store.ts'
import { markUse } from '../../shared/page-fetch.ts'
import { t } from '../../shared/texts/scan-texts.ts'
import { takeEnrolmentCode } from '../enrolment-code.ts'
import { hashOf, type Screen, screenOf } from './screen.ts'
import { Turns } from './turns.ts'
import type { Unanswered } from './unanswered.ts'

/** A message that stops the operator until it is acknowledged. */
export interface ProblemNote {
  message: string
  scanned?: string | undefined
  expected?: string | undefined
  requestId?: string | undefined
  /** Ways on, besides OK. Each acknowledges it. */
  ways?: readonly { name: string; run: () => void }[] | undefined
}

/** What the last scan or tap led to. */
export interface Verdict {
  /** A new one for each, so that the same text is shown again. */
  id: number
  outcome: Outcome
  text: string
}

/** The badge of an operator who signed in without the server. */
export interface OfflineBadge {
  badge: string
  operatorId: number
}

/** A scan, as the diagnostics list it. */
export interface ScanRecord {
  at: Date
  text: string
  outcome: Outcome
  ms: number
}

export interface Ui {
  screen: Screen
  /** What must be done before anything else. */
  needs: 'enrolment' | 'badge' | undefined
  problem: ProblemNote | undefined
  verdict: Verdict | undefined
  dialog: 'quantity' | 'short' | 'elsewhere' | 'submit' | undefined
  isOnline: boolean
  /** The operator waits for the server, for longer than a second by now. */
  isWaiting: boolean
  /** Another tab works. */
  isFrozen: boolean
  isCameraOn: boolean
  /** A new build that waits. */
  update: ServiceWorker | undefined
  /** The code of an address or scan that enrols the device. */
  code: string | undefined
}

/**
 * What a screen does with a code. False: the code is not known to it. `codes` are the readings `texts` with their AIM prefix; `begun` is what
 * the operator has begun with the scan, for `goOn` and `isLeft`.
 */
export type CodeHandler = (
  texts: readonly string[],
  at: number,
  codes: readonly string[],
  begun: number,
) => boolean | Promise<boolean>

/** The codes of a screen. */
export interface ScreenCodes {
  handle: CodeHandler
  /** They may lead to another screen, or to something else on this one: what is scanned meanwhile waits, and is for that. */
  leads: boolean
  /** What is scanned here is looked for here first, although an earlier scan has led elsewhere since. */
  isList: boolean
}

const MAX_SCANS = 50
/** What takes no longer needs no sign. */
const WAIT_SHOWN_MS = 1_000

/** The state and the actions of the app. Screens read `ui` and `store.kept`, and are drawn again after each change of either. */
export class App {
  ui: Ui
  version = 0
  scans: readonly ScanRecord[] = []
  onBadge: (badge: string, at: number) => void = () => undefined
  /** After each entry that the server carried out. */
  onSent: () => void = () => undefined
  /** It is shown to the server later, if its operator is still here. */
  offlineBadge: OfflineBadge | undefined
  /** An operator who was away for too long is being signed out. */
  isSigningOut = false
  readonly store: Store
  readonly api: Api
  readonly sender: Sender
  readonly unanswered: Unanswered = new Map()
  /** The steps that pack orders, by tenant, mode and order. */
  readonly packing = new Map<string, OrderSteps>()
  readonly feedback: Feedback
  /** Sign-ins and sign-outs: the last one counts, here as on the server. */
  readonly operatorTurns = new Turns()
  /** Of the screen that is shown. */
  #codes: ScreenCodes | undefined
  /** Each scan waits for those before it that may lead to another screen. */
  #scans = new Turns()
  readonly #listeners = new Set<() => void>()
  readonly #repeats = new RepeatFilter()
  #verdicts = 0
  /** How much the operator has begun that may lead to a screen. */
  #begun = 0
  /** What of it led to the screen that is shown. */
  #shownBy = 0
  /** A code is pressing its button. */
  #isPressing = false
  readonly #waits = new Set<object>()
  /** A change is being stored. */
  #isHeld = false
  /** Something changed meanwhile. */
  #isDue = false

  constructor(store: Store, code: string | undefined) {
    this.store = store
    this.ui = {
      screen: screenOf(location.hash),
      needs: store.kept.session === null ? 'enrolment' : store.kept.session.operator === null ? 'badge' : undefined,
      problem: undefined,
      verdict: undefined,
      dialog: undefined,
      isOnline: navigator.onLine,
      isWaiting: false,
      isFrozen: false,
      isCameraOn: false,
      update: undefined,
      code,
    }
    this.feedback = new Feedback(() => this.#emit())
    this.api = new Api({
      mode: () => store.kept.session?.mode ?? 'live',
      operatorId: () => store.kept.session?.operator?.id,
      onReach: (isOnline) => {
        if (isOnline !== this.ui.isOnline) this.set({ isOnline })
      },
    })
    this.sender = new Sender({ store, calls: this.api, onChange: () => this.#afterAttempt() })
    store.subscribe(() => this.#emit())
    addEventListener('hashchange', () => this.#navigated())
  }

  /** What the device keeps. */
  get kept(): Kept {
    return this.store.kept
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Codes go to this screen. Returns what ends that. */
  handleCodes(codes: ScreenCodes): () => void {
    this.#codes = codes
    return () => {
      if (this.#codes === codes) this.#codes = undefined
    }
  }

  set(patch: Partial<Ui>): void {
    this.ui = { ...this.ui, ...patch }
    this.#emit()
  }

  /** The operator waits for a call: the screen says so after a second. Returns what ends the wait. */
  beginWait(): () => void {
    const wait = {}
    const timer = setTimeout(() => {
      this.#waits.add(wait)
      this.set({ isWaiting: true })
    }, WAIT_SHOWN_MS)
    return () => {
      clearTimeout(timer)
      if (this.#waits.delete(wait)) this.set({ isWaiting: this.#waits.size > 0 })
    }
  }

  /** Shows a screen. It is a new entry of the browser's history. */
  go(screen: Screen): void {
    this.#leave()
    this.#open(screen, this.#shownBy)
  }

  /** What is scanned from now on waits for something that leads to a screen, and is for that one. */
  lead(leading: Promise<unknown>): void {
    this.#scans.hold(leading)
  }

  /**
   * Runs what the operator has tapped, where codes are taken in turn: after what was scanned before, and before what is scanned next. A button that is
   * pressed by its code has that code's turn.
   */
  tapped<T>(run: () => Promise<T>): Promise<T> {
    return this.#isPressing ? run() : this.#scans.take(run)
  }

  /** The operator begins something that leads to a screen when the server has answered. Returns its number, for `goOn`. */
  begin(): number {
    return ++this.#begun
  }

  /**
   * Shows the screen to which something leads that the operator has begun. Returns false if what they have begun or done after it led elsewhere
   * already: the operator stays there, however late an answer comes.
   */
  goOn(begun: number, screen: Screen): boolean {
    if (this.isLeft(begun)) return false
    this.#open(screen, begun)
    return true
  }

  /** Whether the operator has gone elsewhere since they began this: an answer that comes now is for no screen. */
  isLeft(begun: number): boolean {
    return begun < this.#shownBy
  }

  /** Reads what a scanner or camera saw. `texts` are its readings, `at` the time of its last character. */
  scan(texts: readonly string[], at: number, source: ScanSource = 'wedge'): void {
    const scanned = readScan(texts)
    if (scanned === undefined || this.ui.isFrozen) return
    // The camera's too.
    markUse()
    const text = textOf(scanned)
    if (this.#repeats.isRepeat(text, at, source)) return
    if (this.ui.problem !== undefined) {
      // Nothing goes on before the operator has seen the problem.
      if (scanned.kind === 'command') this.#press(scanned.command, at)
      else this.#sound('problem', text, at)
      return
    }
    if (scanned.kind === 'badge') return this.onBadge(scanned.badge, at)
    const begun = this.begin()
    if (scanned.kind === 'command') return this.#inTurn(begun, text, at, () => this.#press(scanned.command, at))
    if (this.ui.dialog !== undefined) this.set({ dialog: undefined })
    const { texts: read, codes } = scanned.kind === 'code' ? scanned : { texts: [text], codes: [text] }
    const from = this.#codes
    this.#inTurn(begun, text, at, () => this.#handle(from, [read, at, codes, begun]))
  }

  /** What the camera has in view, besides what it takes: a code that was scanned is no new scan as long as it is among it. */
  see(texts: readonly string[], at: number): void {
    for (const text of texts) {
      const scanned = readScan([text])
      if (scanned !== undefined) this.#repeats.see(textOf(scanned), at)
    }
  }

  /** Tells the outcome of a scan or tap: the screen, the tone and the vibration at once. */
  tell(outcome: Exclude<Outcome, 'problem'>, text: string, at: number, scanned = text): void {
    this.#show({ verdict: { id: ++this.#verdicts, outcome, text } })
    this.#sound(outcome, scanned, at)
  }

  /** Stops the operator with a message. */
  stop(problem: ProblemNote, at: number): void {
    this.#show({ problem, dialog: undefined, verdict: { id: ++this.#verdicts, outcome: 'problem', text: problem.message } })
    this.#sound('problem', problem.scanned ?? '', at)
  }

  /**
   * Stores a change, and only then tells the operator of it. Returns whether it is stored: if not, the operator was stopped and nothing
   * has changed.
   */
  async keep(change: (kept: Kept) => Changes | undefined, at = performance.now()): Promise<boolean> {
    // Drawn once, with the outcome that the caller tells next.
    this.#isHeld = true
    try {
      await this.store.commit(change)
      return true
    } catch (error) {
      if (error instanceof TakenOverError) this.set({ isFrozen: true })
      else this.stop(this.#notStored(error), at)
      return false
    } finally {
      this.#isHeld = false
      // If the caller tells nothing.
      setTimeout(() => this.#isDue && this.#emit())
    }
  }

  /**
   * If nothing else helps, the app opens the storage of this browser anew. Not while a change of stock has no answer: a reload forgets that it is
   * not to be done twice.
   */
  #notStored(error: unknown): ProblemNote {
    if (isNamed(error, 'QuotaExceededError')) return { message: t.problem.storage }
    const ways = this.unanswered.size > 0 ? [] : [{ name: t.problem.reopen, run: () => location.reload() }]
    return { message: t.problem.notStored, ways }
  }

  #navigated(): void {
    // The address of an enrolment was opened in this tab.
    const code = takeEnrolmentCode()
    if (code !== undefined) return this.set({ code })
    this.#leave()
    this.set({ screen: screenOf(location.hash), dialog: undefined })
  }

  /** The operator goes elsewhere: what they have scanned before is dropped, and what they scan there does not wait for it. */
  #leave(): void {
    this.#shownBy = this.begin()
    this.#scans = new Turns()
  }

  #open(screen: Screen, begun: number): void {
    this.#shownBy = begun
    this.set({ screen, dialog: undefined })
    if (hashOf(screen) !== location.hash) history.pushState(null, '', hashOf(screen))
  }

  /** Does what a scan stands for when it is its turn. If that returns a promise, the next scan waits for it. */
  #inTurn(begun: number, text: string, at: number, run: () => void | Promise<void>): void {
    void this.#scans.take(() => {
      if (this.isLeft(begun)) return undefined
      return this.ui.problem === undefined ? run() : this.#sound('problem', text, at)
    })
  }

  /**
   * Hands a code to the screen that is shown now. One that was scanned in a list, `from`, is looked for there first: of two orders that are
   * scanned in a row, the second one is no code of the first one's screen.
   */
  #handle(from: ScreenCodes | undefined, scan: Parameters<CodeHandler>): Promise<void> | undefined {
    const screens = new Set([from?.isList === true ? from : this.#codes, this.#codes])
    const isHandled = this.#offer(screens, scan)
    return [...screens].some((screen) => screen?.leads) ? isHandled : undefined
  }

  async #offer(screens: Iterable<ScreenCodes | undefined>, scan: Parameters<CodeHandler>): Promise<void> {
    const [texts, at, , begun] = scan
    for (const screen of screens) {
      if (this.isLeft(begun)) return
      if ((await screen?.handle(...scan)) === true) return
    }
    if (this.isLeft(begun)) return
    this.stop({ message: t.problem.unknown, scanned: texts[0] }, at)
  }

  /** A command presses the button that carries it, in the topmost dialog or on the screen. */
  #press(command: string, at: number): void {
    const top = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document
    const button = top.querySelector<HTMLButtonElement>(`button[data-command="${command}"]:not(:disabled)`)
    if (button !== null) {
      this.#isPressing = true
      button.click()
      this.#isPressing = false
      return
    }
    if (this.ui.problem === undefined) this.stop({ message: t.problem.noCommand, scanned: command }, at)
    else this.#sound('problem', command, at)
  }

  #sound(outcome: Outcome, text: string, at: number): void {
    this.feedback.play(outcome)
    const { duration } = performance.measure('scan', { start: at, end: performance.now(), detail: { outcome } })
    this.scans = [{ at: new Date(), text, outcome, ms: duration }, ...this.scans].slice(0, MAX_SCANS)
  }

  /** Draws at once: the operator sees it when the tone begins. */
  #show(patch: Partial<Ui>): void {
    this.#isHeld = false
    flushSync(() => this.set(patch))
  }

  #afterAttempt(): void {
    this.onSent()
    const needs = this.sender.stopped === 'enrolled' ? 'enrolment' : this.sender.stopped === 'signed in' ? 'badge' : undefined
    if (needs !== undefined) this.set({ needs })
  }

  #emit(): void {
    this.#isDue = this.#isHeld
    if (this.#isHeld) return
    this.version++
    for (const listener of this.#listeners) listener()
  }
}

function textOf(scanned: Scanned): string {
  switch (scanned.kind) {
    case 'command':
      return scanned.command
    case 'badge':
      return scanned.badge
    case 'enrolment':
      return scanned.code
    default:
      return scanned.texts[0] ?? ''
  }
}
