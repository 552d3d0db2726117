import type { Store } from '../store/store.ts'
import type { AttemptKeeper } from './attempts.ts'
import type { SentRow } from './unanswered.ts'

/** The row of a screen's last change of stock that has no answer, beyond a reload. Where it cannot be stored, a reload forgets it. */
export class SentRows implements AttemptKeeper {
  readonly #store: Store
  readonly #owner: string
  readonly #entered: () => Pick<SentRow, 'scanned' | 'typed'>

  /**
   * @param owner the screen and the operator
   * @param entered what is being sent
   */
  constructor(store: Store, owner: string, entered: () => Pick<SentRow, 'scanned' | 'typed'>) {
    this.#store = store
    this.#owner = owner
    this.#entered = entered
  }

  keep(attempt: SentRow['attempt']): Promise<unknown> {
    const row = { ...this.#entered(), attempt, at: Date.now() }
    return this.#store.commit(() => ({ sent: { owner: this.#owner, row } })).catch(() => undefined)
  }

  /** Forgets the row, with a key only if it is that attempt's: a newer one may have been sent meanwhile. */
  forget(key?: string): Promise<unknown> {
    const forgotten = { sent: { owner: this.#owner, row: undefined } }
    return this.#store
      .commit(({ sent }) => (key === undefined || sent[this.#owner]?.attempt.key === key ? forgotten : undefined))
      .catch(() => undefined)
  }
}
