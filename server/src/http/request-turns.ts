import type { onRequestAsyncHookHandler } from 'fastify'

/** Requests of a tenant that begin in one round of the event loop while others wait too. */
const A_ROUND = 2
/** A tenant counts as active for one to two of these after its last request. */
const ACTIVE_MS = 1_000

/**
 * Lets requests begin in turns while several tenants send them: in each round of the event loop a few of each tenant. Without that, two
 * hundred requests that arrive together are all begun before the next one of another tenant is looked at. A tenant that is alone waits
 * for nothing.
 */
export class RequestTurns {
  /** Tenants that wait, in the order of their turns, with what begins their requests. */
  readonly #lines = new Map<number, (() => void)[]>()
  #active = new Set<number>()
  #before = new Set<number>()
  #sinceMs = 0

  /** Resolves when it is the tenant's turn. It is at once, without a promise, while the tenant is alone. */
  take(tenantId: number): Promise<void> | undefined {
    this.#seen(tenantId)
    if (this.#lines.size === 0 && this.#isAlone(tenantId)) return undefined
    return new Promise((begin) => this.#wait(tenantId, begin))
  }

  #wait(tenantId: number, begin: () => void): void {
    if (this.#lines.size === 0) setImmediate(() => this.#giveTurns())
    const line = this.#lines.get(tenantId)
    if (line === undefined) this.#lines.set(tenantId, [begin])
    else line.push(begin)
  }

  #seen(tenantId: number): void {
    const nowMs = performance.now()
    if (nowMs - this.#sinceMs > ACTIVE_MS) {
      this.#before = nowMs - this.#sinceMs > 2 * ACTIVE_MS ? new Set() : this.#active
      this.#active = new Set()
      this.#sinceMs = nowMs
    }
    this.#active.add(tenantId)
  }

  #isAlone(tenantId: number): boolean {
    return this.#active.size === 1 && (this.#before.size === 0 || (this.#before.size === 1 && this.#before.has(tenantId)))
  }

  #giveTurns(): void {
    // Nobody joins a line meanwhile: what begins goes on in a later microtask.
    for (const [tenantId, line] of this.#lines) {
      for (const begin of line.splice(0, A_ROUND)) begin()
      if (line.length === 0) this.#lines.delete(tenantId)
    }
    if (this.#lines.size > 0) setImmediate(() => this.#giveTurns())
  }
}

/** The hook that has a request wait for its turn; to come after authentication. */
export function waitForTurn(turns: RequestTurns): onRequestAsyncHookHandler {
  return async ({ caller }) => {
    const turn = turns.take(caller.tenantId)
    if (turn !== undefined) await turn
  }
}
