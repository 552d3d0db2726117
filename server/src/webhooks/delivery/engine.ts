import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import type { WebhookTargetPolicy } from '../../context.ts'
import type { Database } from '../../database/database.ts'
import type { Encryption } from '../../encryption.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import { claimDeliveries, type Claimed, type ClaimedLanes } from './claim-deliveries.ts'
import { EngineConnection } from './connection.ts'
import { DatabaseClock } from './database-clock.ts'
import { FanOut } from './fan-out.ts'
import { WorkFinder, type Work } from './find-work.ts'
import { KEEP_INTERVAL_MS, keepLanes } from './keep-lanes.ts'
import type { Lane } from './lane.ts'
import { Lanes } from './lanes.ts'
import { recordResults, type Result } from './record-results.ts'
import { isStruggling, resultOfAttempt } from './result-of-attempt.ts'
import { createSender, type Sender, type SenderOptions } from './sender.ts'
import { targetOf } from './target.ts'

export interface DeliveryEngineOptions {
  db: Database
  encryption: Encryption
  webhookTargets: WebhookTargetPolicy
  log: { error(details: object, message: string): void }
  /** Default: the database's. */
  clock?: Clock
  sending?: SenderOptions
  /** Called after each attempt, to be counted. */
  onAttempt?: (outcome: 'succeeded' | 'retried' | 'failed', seconds: number) => void
}

/** Delivers the events of all tenants to their subscriptions. Any number of engines work on one database. */
export interface DeliveryEngine {
  /** Says that there may be something to deliver: it is looked for at once instead of at the next poll. */
  wake(): void
  /** Takes nothing more, lets the requests end that are in flight, for at most `graceMs`, and hands the rest back. */
  stop(options?: { graceMs?: number }): Promise<void>
}

const LEASE_MS = 60_000
/** What must be left of a lease when a request is begun: more than the request can take. */
const SAFE_LEASE_MS = 20_000
const SHORTEST_POLL_MS = 100
const LONGEST_POLL_MS = 2_000
/** After a look that found nothing, so that writes without events do not keep the engine looking all the time. */
const REST_MS = 5
const AFTER_ERROR_MS = 1_000
const STOP_GRACE_MS = 16_000

/** Looks one after another that find only what others have in hand, before the next poll. */
const MAX_IDLE_LOOKS = 20

/** Starts delivering. */
export function startDeliveryEngine(options: DeliveryEngineOptions): DeliveryEngine {
  return new Engine(options)
}

class Engine implements DeliveryEngine {
  readonly #owner = randomUUID()
  readonly #connection: EngineConnection
  readonly #work: WorkFinder
  readonly #fanOut: FanOut
  readonly #log: DeliveryEngineOptions['log']
  readonly #encryption: Encryption
  readonly #clock: Clock
  readonly #databaseClock: DatabaseClock | undefined
  readonly #sender: Sender
  readonly #lanes = new Lanes()
  readonly #onAttempt: DeliveryEngineOptions['onAttempt']
  readonly #loop: Promise<void>
  #results: Result[] = []
  #lanesKeptAt = 0
  #idleLooks = 0
  #stopping = false
  #aborted = false
  #woken = false
  #rouse: (() => void) | undefined

  constructor({ db, encryption, webhookTargets, log, clock, sending, onAttempt }: DeliveryEngineOptions) {
    this.#connection = new EngineConnection(db)
    this.#work = new WorkFinder(this.#connection)
    this.#fanOut = new FanOut(this.#connection, ({ error, ...event }) =>
      log.error({ err: error, ...event }, 'an event could not be turned into deliveries, and was set aside'),
    )
    this.#log = log
    this.#encryption = encryption
    this.#databaseClock = clock === undefined ? new DatabaseClock() : undefined
    this.#clock = clock ?? (this.#databaseClock as Clock)
    this.#sender = createSender(webhookTargets, sending)
    this.#onAttempt = onAttempt
    this.#loop = this.#run()
  }

  wake(): void {
    this.#woken = true
    this.#rouse?.()
  }

  async stop({ graceMs = STOP_GRACE_MS } = {}): Promise<void> {
    this.#stopping = true
    this.#lanes.all.forEach((lane) => this.#handBack(lane.takeWaiting()))
    this.wake()
    const timer = setTimeout(() => this.#abort(), graceMs)
    await this.#loop
    clearTimeout(timer)
    this.#connection.close()
    await this.#sender.close()
  }

  #abort(): void {
    this.#aborted = true
    void this.#sender.close()
  }

  /** One turn after another; requests run beside them. */
  async #run(): Promise<void> {
    let pollMs = SHORTEST_POLL_MS
    while (!this.#stopping || this.#lanes.sending > 0 || this.#results.length > 0) {
      this.#woken = false
      try {
        const { worked, again } = await this.#turn()
        pollMs = worked ? SHORTEST_POLL_MS : Math.min(pollMs * 2, LONGEST_POLL_MS)
        if (!worked) await delay(REST_MS)
        if (!again) await this.#sleep(this.#lanes.all.length > 0 ? Math.min(pollMs, KEEP_INTERVAL_MS) : pollMs)
      } catch (error) {
        this.#log.error({ err: error }, 'webhook deliveries wait: the database failed')
        // What could not be written is sent again when its lease ends.
        if (this.#aborted || (this.#stopping && this.#lanes.sending === 0)) return
        await delay(AFTER_ERROR_MS)
      }
    }
  }

  /** Writes what became of requests, fans out events, claims what is due. */
  async #turn(): Promise<{ worked: boolean; again: boolean }> {
    const written = await this.#writeResults()
    await this.#keepLanes()
    if (this.#stopping) return { worked: written > 0, again: false }
    const work = await this.#findWork()
    const now = this.#clock.now()
    const fannedOut = await this.#fanOut.takeTurn(work.outbox, now)
    const { lanes, more } = await this.#claim(now, [...new Set([...work.due, ...fannedOut.tenants])])
    const worked = written + fannedOut.events + lanes.length > 0
    this.#idleLooks = worked ? 0 : this.#idleLooks + 1
    const looksOn = work.more && this.#idleLooks < MAX_IDLE_LOOKS
    return { worked, again: fannedOut.more || more || looksOn }
  }

  async #findWork(): Promise<Work> {
    const work = await this.#work.find(
      this.#databaseClock === undefined ? this.#clock.now() : undefined,
      this.#lanes.places().fullTenants,
    )
    if (!work.isOld) this.#databaseClock?.set(work.now)
    return work
  }

  async #writeResults(): Promise<number> {
    const results = this.#results
    if (results.length === 0) return 0
    this.#results = []
    const status = this.#lanes.status()
    try {
      await recordResults(this.#connection, this.#owner, this.#clock.now(), results, status, ({ delivery }, err) => {
        const { tenant_id: tenantId, subscription_id: subscriptionId, event_id: eventId } = delivery
        this.#log.error(
          { err, tenantId, subscriptionId, eventId },
          'what became of a delivery could not be written: it will be sent again',
        )
      })
    } catch (error) {
      this.#results = [...results, ...this.#results]
      throw error
    }
    this.#lanes.forget(status)
    return results.length
  }

  async #keepLanes(): Promise<void> {
    if (this.#lanes.all.length === 0 || performance.now() - this.#lanesKeptAt < KEEP_INTERVAL_MS) return
    await keepLanes(this.#connection, this.#owner, this.#lanes.all)
    this.#lanesKeptAt = performance.now()
  }

  async #claim(now: Date, due: readonly number[]): Promise<Omit<ClaimedLanes, 'claimed'>> {
    const places = this.#lanes.places()
    const full = new Set(places.fullTenants)
    const tenants = due.filter((tenantId) => !full.has(tenantId))
    if (tenants.length === 0 || places.free === 0) return { lanes: [], more: false }
    const { lanes, claimed, more } = await claimDeliveries(this.#connection, {
      owner: this.#owner,
      now,
      lease: new Date(now.getTime() + LEASE_MS),
      tenants,
      choose: this.#lanes.choose.bind(this.#lanes),
    })
    for (const lane of this.#lanes.add(lanes, claimed, (row) => targetOf(row, this.#encryption, now))) this.#sendFrom(lane)
    return { lanes, more }
  }

  #sendFrom(lane: Lane): void {
    if (this.#stopping) this.#handBack(lane.takeWaiting())
    for (let delivery = lane.next(); delivery !== undefined; delivery = lane.next()) {
      if (Date.parse(delivery.lease) - this.#clock.now().getTime() < SAFE_LEASE_MS) this.#handBack([delivery])
      else void this.#send(lane, delivery)
    }
  }

  async #send(lane: Lane, delivery: Claimed): Promise<void> {
    lane.sending += 1
    const outcome = await attemptDelivery(delivery, lane.target, this.#sender, this.#clock, lane.tenant_id)
    lane.sending -= 1
    const result = resultOfAttempt(delivery, outcome)
    this.#onAttempt?.(result.state === 'pending' ? 'retried' : result.state, outcome.attempt.duration_ms / 1_000)
    if (this.#aborted && !outcome.acknowledged) this.#handBack([delivery])
    else this.#results.push(result)
    if (outcome.acknowledged) lane.succeeded(outcome.attempt.duration_ms)
    if (isStruggling(outcome)) lane.struggled()
    if (isStruggling(outcome) || result.heldUntil !== undefined || result.gone === true) this.#handBack(lane.takeWaiting())
    this.#sendFrom(lane)
    this.wake()
  }

  #handBack(deliveries: Claimed[]): void {
    if (deliveries.length === 0) return
    const nextAttemptAt = this.#clock.now()
    this.#results.push(...deliveries.map((delivery) => ({ delivery, state: 'pending' as const, nextAttemptAt })))
  }

  /** Until `wake` is called, at most `ms`. */
  async #sleep(ms: number): Promise<void> {
    if (this.#woken) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#rouse = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#rouse = undefined
  }
}
