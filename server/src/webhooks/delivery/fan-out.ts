import type { EngineConnection } from './connection.ts'
import { fanOutEvents, fanOutPart, type Taken } from './fan-out-statements.ts'
import { MAX_OUTBOX_TENANTS, SUBSCRIPTIONS_COUNTED, type PendingTenant } from './find-work.ts'
import { firstEvent, setAside } from './set-aside.ts'
import { isOfItsWork } from './statement-failures.ts'

/** Deliveries that one statement makes, so that results and claims wait only some milliseconds for it. */
const DELIVERIES = 500
const MAX_EVENTS = 500

/** A tenant with more subscriptions gets a statement of its own: together, one event of each would be too many deliveries. */
const MOST_TOGETHER = DELIVERIES / MAX_OUTBOX_TENANTS

/** Of a statement for one tenant: it holds up the others until it ends. */
const TIME_LIMIT_MS = 5_000
const MAX_ERROR_LENGTH = 1_000

/** How long an event that was committed late can wait, while its tenant has more than can be fanned out. */
const FROM_START_EVERY_MS = 1_000
/** Tenants of which a place in the outbox is remembered. */
const MAX_PLACES = 1_000

/** A tenant's share of a statement. */
interface Share {
  tenant_id: number
  events: number
}

/** What a turn of the fan-out did. */
export interface FanOutTurn {
  events: number
  /** Tenants that may have got deliveries. */
  tenants: number[]
  more: boolean
}

const NOTHING: FanOutTurn = { events: 0, tenants: [], more: false }

/** Told of each event that is set aside. */
export type OnSetAside = (event: { tenantId: number; eventId: string; error: Error }) => void

/** Turns events that subscriptions wait for into deliveries, of tenants in turn and a bounded number at a time. */
export class FanOut {
  readonly #connection: EngineConnection
  readonly #onSetAside: OnSetAside
  /** Where a tenant's events go on: before, there are only index entries of events that are done, until they are vacuumed. */
  readonly #places = new Map<number, { since: string; fromStartAt: number }>()
  /** Tenants whose events a statement failed with, and how many of them are tried next. */
  readonly #trials = new Map<number, number>()
  /** Tenants that get a statement of their own, in the order of their turns. */
  readonly #apart = new Map<number, PendingTenant>()

  constructor(connection: EngineConnection, onSetAside: OnSetAside) {
    this.#connection = connection
    this.#onSetAside = onSetAside
  }

  /** Fans out some events of these tenants: one statement for most of them, and one for a tenant that needs its own. */
  async takeTurn(pending: readonly PendingTenant[], now: Date): Promise<FanOutTurn> {
    const apart = pending.filter(({ tenant_id, subscriptions }) => this.#trials.has(tenant_id) || subscriptions > MOST_TOGETHER)
    const together = pending.filter((tenant) => !apart.includes(tenant))
    apart.filter(({ tenant_id }) => !this.#apart.has(tenant_id)).forEach((tenant) => this.#apart.set(tenant.tenant_id, tenant))
    const turn = await this.#fanOutTogether(
      together.map((tenant) => shareOf(tenant, DELIVERIES / together.length)),
      now,
    )
    const [next] = this.#apart.values()
    if (next === undefined) return turn
    this.#apart.delete(next.tenant_id)
    const own = await this.#fanOutApart(next, now)
    return { events: turn.events + own.events, tenants: [...turn.tenants, ...own.tenants], more: true }
  }

  async #fanOutTogether(shares: Share[], now: Date): Promise<FanOutTurn> {
    if (shares.length === 0) return NOTHING
    try {
      return this.#endOf(await this.#connection.run(fanOutEvents, this.#valuesOf(shares, now)), shares)
    } catch (error) {
      if (!isOfItsWork(error)) throw error
      shares.forEach(({ tenant_id, events }) => this.#trials.set(tenant_id, events))
      return { ...NOTHING, more: true }
    }
  }

  async #fanOutApart(tenant: PendingTenant, now: Date): Promise<FanOutTurn> {
    const { tenant_id } = tenant
    const normal = shareOf(tenant, DELIVERIES)
    const tried = this.#trials.get(tenant_id)
    const share = { ...normal, events: tried ?? normal.events }
    // One event is asked for by its id, so that it is known which one failed.
    const eventId = tried === 1 ? (await this.#connection.run(firstEvent, [tenant_id]))[0]?.event_id : undefined
    try {
      const turn = this.#endOf(await this.#runApart(tenant, share, eventId, now), [share])
      if (tried !== undefined && tried >= normal.events) this.#trials.delete(tenant_id)
      else if (tried !== undefined) this.#trials.set(tenant_id, tried * 2)
      return turn
    } catch (error) {
      if (!isOfItsWork(error)) throw error
      this.#trials.set(tenant_id, Math.max(1, Math.floor(share.events / 2)))
      if (eventId !== undefined) await this.#setAside(tenant_id, eventId, error)
      return NOTHING
    }
  }

  async #runApart(
    { tenant_id, subscriptions }: PendingTenant,
    share: Share,
    eventId: string | undefined,
    now: Date,
  ): Promise<Taken[]> {
    if (subscriptions >= SUBSCRIPTIONS_COUNTED)
      return await this.#connection.runWithin(TIME_LIMIT_MS, fanOutPart, [now, tenant_id, eventId ?? '', DELIVERIES])
    const [, tenants, since, events] = this.#valuesOf([share], now)
    return await this.#connection.runWithin(TIME_LIMIT_MS, fanOutEvents, [
      now,
      tenants,
      eventId === undefined ? since : [eventId],
      events,
    ])
  }

  /** Lets an event that failed alone wait somewhere else, so that those behind it go on. */
  async #setAside(tenantId: number, eventId: string, error: Error): Promise<void> {
    await this.#connection.run(setAside, [tenantId, eventId, error.message.slice(0, MAX_ERROR_LENGTH)])
    this.#onSetAside({ tenantId, eventId, error })
  }

  #valuesOf(shares: readonly Share[], now: Date): [Date, number[], string[], number[]] {
    return [
      now,
      shares.map(({ tenant_id }) => tenant_id),
      shares.map(({ tenant_id }) => this.#sinceOf(tenant_id)),
      shares.map(({ events }) => events),
    ]
  }

  #sinceOf(tenantId: number): string {
    const place = this.#places.get(tenantId)
    if (place === undefined || this.#trials.has(tenantId)) return ''
    if (performance.now() - place.fromStartAt < FROM_START_EVERY_MS) return place.since
    place.fromStartAt = performance.now()
    return ''
  }

  #endOf(taken: readonly Taken[], shares: readonly Share[]): FanOutTurn {
    if (this.#places.size > MAX_PLACES) this.#places.clear()
    let more = false
    for (const { tenant_id, events } of shares) {
      const got = taken.find((tenant) => tenant.tenant_id === tenant_id)
      const isFull = got !== undefined && got.events >= events
      more ||= isFull
      const fromStartAt = this.#places.get(tenant_id)?.fromStartAt ?? performance.now()
      if (isFull) this.#places.set(tenant_id, { since: got.last, fromStartAt })
      else this.#places.delete(tenant_id)
    }
    return {
      events: taken.reduce((sum, { events }) => sum + events, 0),
      tenants: taken.map(({ tenant_id }) => tenant_id),
      more,
    }
  }
}

/** As many events as make so many deliveries, but at least one. */
function shareOf({ tenant_id, subscriptions }: PendingTenant, deliveries: number): Share {
  const events = Math.floor(deliveries / Math.max(1, subscriptions))
  return { tenant_id, events: Math.min(MAX_EVENTS, Math.max(1, events)) }
}
