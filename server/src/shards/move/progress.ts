import { setTimeout as delay } from 'node:timers/promises'
import { READ_MAP_EVERY_MS } from '../follow-shards.ts'
import { FailingCopy } from './failing-copy.ts'
import { commitTogether, copied, hasLostTables } from './replication.ts'
import { type Move, MoveTakenOverError } from './side.ts'

/** Running processes know of a move by then, and look often. */
export const KNOWN_AFTER_MS = READ_MAP_EVERY_MS + 1_000
const POLL_MS = 250
const LOOK_EVERY_MS = 10_000
const AFTER_LOSS_MS = 1_000
const LOST_PATIENCE_MS = 300_000
/** Work that lasted longer than it takes to connect had its databases back. */
const BACK_AFTER_MS = 30_000

/** What a command needs besides the shards. */
export interface MoveOptions {
  /** Tells what happens. */
  note(line: string): void
  /** The address of the source, as the Postgres of the target reaches it. Default: as this command reaches it. */
  sourceUrl?: string | undefined
}

/** Repeats the work while a database cannot be reached. */
export async function persistently<T>({ note }: MoveOptions, work: () => Promise<T>): Promise<T> {
  let lostAtMs: number | undefined
  for (;;) {
    const beganAtMs = performance.now()
    try {
      return await work()
    } catch (error) {
      // After a loss, a server may be ending the switch that this command began.
      if (!isLost(error) && !(lostAtMs !== undefined && error instanceof MoveTakenOverError)) throw error
      if (performance.now() - beganAtMs > BACK_AFTER_MS) lostAtMs = undefined
      if (lostAtMs === undefined) note(`A connection was lost (${(error as Error).message}): going on when it is back`)
      lostAtMs ??= performance.now()
      if (performance.now() - lostAtMs > LOST_PATIENCE_MS) throw error
      await delay(AFTER_LOSS_MS)
    }
  }
}

/** Errors of connections have no code of Postgres, or one that says that the server ends or starts. */
function isLost(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof MoveTakenOverError) return false
  const { code } = error as { code?: string }
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|08|57P0)/.test(code ?? '') ||
    /^(Connection terminated|timeout expired|Client has encountered)/.test(error.message)
  )
}

/** Waits until all tables are copied, and running processes know of the move. Returns false when the copy must begin again. */
export async function untilCopied(move: Move, { note }: MoveOptions): Promise<boolean> {
  let toldDone = -1
  const failing = new FailingCopy(move, note)
  const startedAt = performance.now()
  let lookedAt = startedAt
  let isTogether = false
  for (; ; await delay(POLL_MS)) {
    if (performance.now() - lookedAt > LOOK_EVERY_MS) {
      if (await hasLostTables(move)) return false
      lookedAt = performance.now()
    }
    const { done, all, withoutSlot, errors } = await copied(move)
    if (!isTogether && all > 0 && withoutSlot === all) {
      await commitTogether(move)
      isTogether = true
    }
    if (done >= all && all > 0 && performance.now() - startedAt >= KNOWN_AFTER_MS) {
      note(`Copied ${all} tables`)
      return true
    }
    await failing.look(errors)
    if (done >= toldDone + 10 || (done === all && toldDone < all)) {
      note(`Copied ${done} of ${all} tables`)
      toldDone = done
    }
  }
}
