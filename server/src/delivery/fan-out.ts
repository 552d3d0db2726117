import { LRUCache } from 'lru-cache'
import { activeTenants } from '../runtime/event-loop/active-tenants.ts'
import type { EngineConnection } from './connection.ts'
import { fanOutEvents, fanOutPart, type Taken } from './fan-out-statements.ts'
import { MAX_OUTBOX_TENANTS, SUBSCRIPTIONS_COUNTED, type PendingTenant } from './find-work.ts'
import { firstEvent, setAside } from './set-aside.ts'
import { isOfItsWork, isTimeout } from './statement-failures.ts'

/** Deliveries inserted by one statement. The limit keeps the statement within some milliseconds, because results and claims wait for it. */
const DELIVERIES = 500
/** The limit while several tenants are active. */
const SHARED_DELIVERIES = 50
const MAX_EVENTS = 500

/** A tenant with more subscriptions gets its own statement: one event of each such tenant would exceed `DELIVERIES`. */
const MAX_TOGETHER = DELIVERIES / MAX_OUTBOX_TENANTS

/** Time limit of a statement for one tenant: the other tenants wait until it ends. */
const TIME_LIMIT_MS = 5_000
/** How long an event is tried again that takes too long alone, while no other statement succeeds: the database may be slow or locked. */
const SLOW_PATIENCE_MS = 600_000
const MAX_ERROR_LENGTH = 1_000

/** Maximum delay of an event that was committed late, while its tenant has a backlog. */
const FROM_START_EVERY_MS = 1_000
/** Number of tenants whose outbox position is kept in memory. */
const MAX_PROGRESS = 1_000

/** The number of events that a statement takes from a tenant. */
interface Share {
  tenantId: number
  events: number
}

/** A tenant whose events made a statement fail. */
interface Trial {
  /** The number of events to try next. */
  events: number
  /** Set while a single event takes too long. */
  slow?: Slow | undefined
}

/** Since when a single event takes too long, and the number of successful statements of all tenants until then. */
interface Slow {
  since: number
  successes: number
}

/** The result of one fan-out turn. */
export interface FanOutResult {
  events: number
  /** Tenants that may have new deliveries. */
  tenants: number[]
  more: boolean
}

const NOTHING: FanOutResult = { events: 0, tenants: [], more: false }

/** Called for each event that is set aside. */
export type OnSetAside = (event: { tenantId: number; eventId: string; error: Error }) => void

/** Turns events of the outbox into deliveries, a bounded number at a time. Tenants take turns. */
export class FanOut {
  readonly #connection: EngineConnection
  readonly #onSetAside: OnSetAside
  /** Position of each tenant in the outbox. Index entries before it are dead, and remain until vacuum removes them. */
  readonly #progress = new LRUCache<number, { since: string; fromStartAt: number }>({ max: MAX_PROGRESS })
  /** Tenants whose events made a statement fail. */
  readonly #trials = new Map<number, Trial>()
  /** Number of successful statements. */
  #successes = 0
  /** Tenants that need their own statement, in the order of their turns. */
  readonly #separate = new Map<number, PendingTenant>()

  constructor(connection: EngineConnection, onSetAside: OnSetAside) {
    this.#connection = connection
    this.#onSetAside = onSetAside
  }

  /** Fans out some events of these tenants in one statement. Tenants that need their own statement get it in `takeSeparateTurn`. */
  async takeTurn(pending: readonly PendingTenant[], now: Date): Promise<FanOutResult> {
    const separate = pending.filter(({ tenantId, subscriptions }) => this.#trials.has(tenantId) || subscriptions > MAX_TOGETHER)
    const together = pending.filter((tenant) => !separate.includes(tenant))
    separate
      .filter(({ tenantId }) => !this.#separate.has(tenantId))
      .forEach((tenant) => this.#separate.set(tenant.tenantId, tenant))
    return await this.#fanOutTogether(
      together.map((tenant) => shareOf(tenant, mostDeliveries() / together.length)),
      now,
    )
  }

  /** Tenants that wait for their own statement. */
  get separate(): ReadonlySet<number> {
    return new Set(this.#separate.keys())
  }

  /** Fans out some events of the next tenant that needs its own statement. */
  async takeSeparateTurn(now: Date): Promise<FanOutResult> {
    const [next] = this.#separate.values()
    if (next === undefined) return NOTHING
    this.#separate.delete(next.tenantId)
    return { ...(await this.#fanOutSeparately(next, now)), more: true }
  }

  async #fanOutTogether(shares: Share[], now: Date): Promise<FanOutResult> {
    if (shares.length === 0) return NOTHING
    try {
      return this.#endOf(await this.#connection.run(fanOutEvents, this.#valuesOf(shares, now)), shares)
    } catch (error) {
      if (!isOfItsWork(error)) throw error
      shares.forEach(({ tenantId, events }) => this.#trials.set(tenantId, { events }))
      return { ...NOTHING, more: true }
    }
  }

  async #fanOutSeparately(tenant: PendingTenant, now: Date): Promise<FanOutResult> {
    const { tenantId } = tenant
    const normal = shareOf(tenant, mostDeliveries())
    const tried = this.#trials.get(tenantId)
    const share = { ...normal, events: tried?.events ?? normal.events }
    // A single event is selected by its id, so that the failing event is known.
    const eventId = tried?.events === 1 ? (await this.#connection.run(firstEvent, [tenantId]))[0]?.eventId : undefined
    try {
      const result = this.#endOf(await this.#fanOutOf(tenant, share, eventId, now), [share])
      if (tried !== undefined && tried.events >= normal.events) this.#trials.delete(tenantId)
      else if (tried !== undefined) this.#trials.set(tenantId, { events: tried.events * 2 })
      return result
    } catch (error) {
      if (!isOfItsWork(error)) throw error
      const events = Math.max(1, Math.floor(share.events / 2))
      const slow = eventId === undefined || !isTimeout(error) ? undefined : (tried?.slow ?? this.#slowFromNow())
      this.#trials.set(tenantId, { events, slow })
      if (eventId === undefined || (slow !== undefined && this.#maybeOfDatabase(slow))) return NOTHING
      await this.#setAside(tenantId, eventId, error)
      return NOTHING
    }
  }

  #slowFromNow(): Slow {
    return { since: performance.now(), successes: this.#successes }
  }

  /** True while the database may be why an event takes too long, not the event: no statement has succeeded since, and it is not long ago. */
  #maybeOfDatabase({ since, successes }: Slow): boolean {
    return this.#successes === successes && performance.now() - since < SLOW_PATIENCE_MS
  }

  async #fanOutOf(
    { tenantId, subscriptions }: PendingTenant,
    share: Share,
    eventId: string | undefined,
    now: Date,
  ): Promise<Taken[]> {
    if (subscriptions >= SUBSCRIPTIONS_COUNTED)
      return await this.#connection.runWithin(TIME_LIMIT_MS, fanOutPart, [now, tenantId, eventId ?? '', mostDeliveries()])
    const [, tenants, since, events] = this.#valuesOf([share], now)
    return await this.#connection.runWithin(TIME_LIMIT_MS, fanOutEvents, [
      now,
      tenants,
      eventId === undefined ? since : [eventId],
      events,
    ])
  }

  /** Sets aside an event that failed alone, so that later events proceed. */
  async #setAside(tenantId: number, eventId: string, error: Error): Promise<void> {
    await this.#connection.run(setAside, [tenantId, eventId, error.message.slice(0, MAX_ERROR_LENGTH)])
    this.#onSetAside({ tenantId, eventId, error })
  }

  #valuesOf(shares: readonly Share[], now: Date): [Date, number[], string[], number[]] {
    return [
      now,
      shares.map(({ tenantId }) => tenantId),
      shares.map(({ tenantId }) => this.#sinceOf(tenantId)),
      shares.map(({ events }) => events),
    ]
  }

  #sinceOf(tenantId: number): string {
    const progress = this.#progress.get(tenantId)
    if (progress === undefined || this.#trials.has(tenantId)) return ''
    if (performance.now() - progress.fromStartAt < FROM_START_EVERY_MS) return progress.since
    progress.fromStartAt = performance.now()
    return ''
  }

  #endOf(taken: readonly Taken[], shares: readonly Share[]): FanOutResult {
    this.#successes++
    let more = false
    for (const { tenantId, events } of shares) {
      const got = taken.find((tenant) => tenant.tenantId === tenantId)
      const isFull = got !== undefined && got.events >= events
      more ||= isFull
      const fromStartAt = this.#progress.get(tenantId)?.fromStartAt ?? performance.now()
      if (isFull) this.#progress.set(tenantId, { since: got.last, fromStartAt })
      else this.#progress.delete(tenantId)
    }
    return {
      events: taken.reduce((sum, { events }) => sum + events, 0),
      tenants: taken.map(({ tenantId }) => tenantId),
      more,
    }
  }
}

const mostDeliveries = (): number => (activeTenants.areSeveral ? SHARED_DELIVERIES : DELIVERIES)

/** The number of events that make at most this many deliveries; at least one. */
function shareOf({ tenantId, subscriptions }: PendingTenant, deliveries: number): Share {
  const events = Math.floor(deliveries / Math.max(1, subscriptions))
  return { tenantId, events: Math.min(MAX_EVENTS, Math.max(1, events)) }
}
