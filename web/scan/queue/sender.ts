import type { Changes, Kept, Store } from '../store/store.ts'
import { bindingOfKept, TakenOverError } from '../store/store.ts'
import { attempt, type Attempt, type QueueCalls } from './attempt.ts'
import type { Entry, FlowEntry } from './entry.ts'
import { flowChanges } from './flow-changes.ts'
import { recordChanges } from './record-changes.ts'
import { nextToSend, type QueueEvent } from './reduce.ts'

const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/** Until when nothing is sent. */
export type Stopped = 'enrolled' | 'signed in' | undefined

interface SenderOptions {
  store: Store
  calls: QueueCalls
  /** After each change of `stopped`, and after each entry that was sent. */
  onChange: (sent?: Entry) => void
}

/** Sends the queue: one request at a time, in order, as long as it takes. Other calls that change a flow take their turn between entries. */
export class Sender {
  stopped: Stopped
  readonly #options: SenderOptions
  readonly #tasks: (() => Promise<void>)[] = []
  #failures = 0
  #retryAt = 0
  /** How often it was resumed. */
  #resumed = 0
  #wake: (() => void) | undefined

  constructor(options: SenderOptions) {
    this.#options = options
  }

  /** Sends until the signal aborts, or another tab has taken over. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.notify())
    const stop = this.#options.store.subscribe(() => this.notify())
    try {
      while (!signal.aborted) await this.#turn()
    } catch (error) {
      if (!(error instanceof TakenOverError)) throw error
    } finally {
      stop()
    }
  }

  /** Something changed: looks again whether there is something to send. */
  notify(): void {
    this.#wake?.()
  }

  /** The connection may be back: tries at once. */
  retry(): void {
    this.#retryAt = 0
    this.notify()
  }

  /** The operator signed in, or the device was enrolled. */
  resume(): void {
    this.stopped = undefined
    this.#resumed++
    this.#failures = 0
    this.retry()
  }

  /** Runs a call between two entries: what it reads or changes meets no entry under way. */
  between<T>(call: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#tasks.push(() => call().then(resolve, reject))
      this.notify()
    })
  }

  async #turn(): Promise<void> {
    const task = this.#tasks.shift()
    if (task !== undefined) return await task()
    const { kept } = this.#options.store
    const isEnrolled = kept.session !== null && this.stopped === undefined
    const entry = isEnrolled ? nextToSend(kept.entries) : undefined
    const waitMs = this.#retryAt - performance.now()
    if (entry === undefined || waitMs > 0) return await this.#rest(entry === undefined ? undefined : waitMs)
    await this.#send(entry)
  }

  #rest(ms: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        this.#wake = undefined
        resolve()
      }
    })
  }

  async #send({ seq }: Entry): Promise<void> {
    const { store, calls, onChange } = this.#options
    // Strict: with a pick that the server may know, an undo must be sent, even after a power cut.
    await store.commit(() => ({ events: [{ type: 'sending', seq }] }))
    const entry = store.kept.entries.find((other) => other.seq === seq)
    // The flow was cancelled in the meantime.
    if (entry?.state !== 'sending') return
    const resumed = this.#resumed
    const binding = bindingOfKept(store.kept)
    const result = await attempt(entry, calls)
    await store.commit(
      (kept) => {
        // The device was removed meanwhile: the entry waits for its next enrolment, and the news are of no flow of another tenant.
        if (bindingOfKept(kept) !== binding) return undefined
        const changes: Changes = entry.record === undefined ? newsOfFlow(kept, entry, result) : recordChanges(kept, entry, result)
        return { ...changes, events: [...(changes.events ?? []), eventOf(result, seq)] }
      },
      // After a power cut the entry is sent again, which changes nothing.
      result.is === 'refused' ? 'strict' : 'relaxed',
    )
    // Of a call that began before the operator signed in, a refusal that asks for it says nothing any more.
    if (result.is === 'stopped' && resumed === this.#resumed) this.stopped = result.until
    this.#schedule(result)
    onChange(result.is === 'done' ? entry : undefined)
  }

  #schedule(result: Attempt): void {
    if (result.is !== 'unanswered') {
      this.#failures = 0
      return
    }
    const pause = PAUSES_MS[Math.min(this.#failures, PAUSES_MS.length - 1)] ?? 0
    this.#failures++
    this.#retryAt = performance.now() + (result.retryAfterMs ?? pause)
  }
}

function newsOfFlow(kept: Kept, { flow_id }: FlowEntry, result: Attempt): Changes {
  const news = 'news' in result ? result.news : undefined
  return news?.is === 'record' || news?.is === 'line' ? {} : flowChanges(kept, flow_id, news)
}

function eventOf(result: Attempt, seq: number): QueueEvent {
  switch (result.is) {
    case 'done':
      return { type: 'done', seq }
    case 'refused':
      return { type: 'refused', seq, error: result.error }
    default:
      return { type: 'unanswered', seq }
  }
}
