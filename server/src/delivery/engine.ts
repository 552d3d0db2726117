import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../runtime/clock.ts'
import type { WebhookTargetPolicy } from './targets/policy.ts'
import type { Database } from '../database/database.ts'
import type { Encryption } from '../runtime/encryption/encryption.ts'
import { activeTenants } from '../runtime/event-loop/active-tenants.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import { claimDeliveries, type Claimed } from './claim-deliveries.ts'
import { EngineConnection } from './connection.ts'
import { DatabaseClock } from './database-clock.ts'
import { FanOut } from './fan-out.ts'
import { WorkFinder, type Work } from './find-work.ts'
import { KEEP_INTERVAL_MS, keepLanes } from './keep-lanes.ts'
import type { Lane } from './lane.ts'
import { Lanes } from './lanes.ts'
import { recordResults, type Result } from './record-results.ts'
import { isStruggling, resultOfAttempt } from './result-of-attempt.ts'
import { Rotation, type Step, type WorkResult } from './rotation.ts'
import { createSender, type Sender, type SenderOptions } from './sender.ts'
import { targetOf } from './target.ts'

export interface DeliveryEngineOptions {
  db: Database
  encryption: Encryption
  webhookTargets: WebhookTargetPolicy
  log: { error(details: object, message: string): void }
  /** The default is the database's clock. */
  clock?: Clock
  sending?: SenderOptions
  /** Called after each attempt, for the metrics. */
  onAttempt?: (outcome: 'succeeded' | 'retried' | 'failed', seconds: number) => void
}

/** Delivers the events of all tenants to their subscriptions. Any number of engines can share a database. */
export interface DeliveryEngine {
  /** Call it when there may be new deliveries: the engine queries for them immediately instead of at the next poll. */
  wake(): void
  /** Stops claiming, waits at most `graceMs` for the requests in flight, and hands back the rest. */
  stop(options?: { graceMs?: number }): Promise<void>
}

const LEASE_MS = 60_000
/** Minimum remaining lease when a request starts: longer than a request can take. */
const SAFE_LEASE_MS = 20_000
const SHORTEST_POLL_MS = 100
const LONGEST_POLL_MS = 2_000
/** Pause after a query that found no work, so that writes without events do not keep the engine busy. */
const REST_MS = 5
const AFTER_ERROR_MS = 1_000
const STOP_GRACE_MS = 16_000

/** A tenant with at least this many deliveries in a claim is served after the others. */
const MANY_DELIVERIES = 16
/** After this many consecutive queries that found only work of other processes, the engine waits for the next poll. */
const MAX_IDLE_LOOKS = 20

/** Starts a delivery engine. */
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
  readonly #rotation = new Rotation()
  /** Tenants with many deliveries in their last claim. */
  readonly #withMany = new Set<number>()
  readonly #loop: Promise<void>
  #results: Result[] = []
  #lanesKeptAt = 0
  /** When the next delivery that the last queries saw is due, in uptime of the process. */
  #nextDueAt = Infinity
  #idleLooks = 0
  #stopping = false
  #aborted = false
  #stopped: Promise<void> | undefined
  #woken = false
  #rouse: (() => void) | undefined

  constructor({ db, encryption, webhookTargets, log, clock, sending, onAttempt }: DeliveryEngineOptions) {
    this.#connection = new EngineConnection(db)
    this.#work = new WorkFinder(this.#connection)
    this.#fanOut = new FanOut(this.#connection, ({ error, ...event }) =>
      log.error({ err: error, ...event }, 'fan-out of an event failed; the event was set aside'),
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

  stop({ graceMs = STOP_GRACE_MS } = {}): Promise<void> {
    return (this.#stopped ??= this.#stop(graceMs))
  }

  async #stop(graceMs: number): Promise<void> {
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

  /** Runs one turn after another. Requests run concurrently with the turns. */
  async #run(): Promise<void> {
    let pollMs = SHORTEST_POLL_MS
    while (!this.#stopping || this.#lanes.sending > 0 || this.#results.length > 0) {
      this.#woken = false
      try {
        const { worked, again } = await this.#turn()
        pollMs = worked ? SHORTEST_POLL_MS : Math.min(pollMs * 2, LONGEST_POLL_MS)
        if (!worked) await delay(REST_MS)
        if (!again)
          await this.#sleep(Math.min(pollMs, this.#untilDue(), this.#lanes.all.length > 0 ? KEEP_INTERVAL_MS : Infinity))
      } catch (error) {
        this.#log.error({ err: error }, 'webhook deliveries are paused: the database failed')
        // Results that were not written are lost; their deliveries are sent again when their leases end.
        if (this.#aborted || (this.#stopping && this.#lanes.sending === 0)) return
        await delay(AFTER_ERROR_MS)
      }
    }
  }

  /** One turn: serves the tenants with few deliveries, then the others. */
  async #turn(): Promise<WorkResult> {
    const written = this.#stopping || !activeTenants.areSeveral ? await this.#writeResults() : 0
    await this.#keepLanes()
    if (this.#stopping) return { worked: written > 0, again: false }
    const work = await this.#findWork()
    const now = this.#clock.now()
    const few = await this.#serveFew(work, now)
    const many = await this.#serveMany(work.due, now)
    const worked = written > 0 || few.worked || many.worked
    this.#idleLooks = worked ? 0 : this.#idleLooks + 1
    const looksOn = work.more && this.#idleLooks < MAX_IDLE_LOOKS
    return { worked, again: few.again || many.again || looksOn }
  }

  /** Fans out and claims for the tenants with few deliveries. */
  async #serveFew({ outbox, due }: Work, now: Date): Promise<WorkResult> {
    const fannedOut = await this.#fanOut.takeTurn(outbox, now)
    const tenants = [...new Set([...due, ...fannedOut.tenants])].filter((tenantId) => !this.#hasMany(tenantId))
    const claimed = await this.#claim(now, tenants)
    return { worked: fannedOut.events > 0 || claimed.worked, again: fannedOut.more || claimed.again }
  }

  /**
   * Fans out and claims for the other tenants. While several tenants are active, it runs only one step of this work, or writes results, so
   * that the tenants with few deliveries wait for one step at most.
   */
  async #serveMany(due: readonly number[], now: Date): Promise<WorkResult> {
    const isShared = activeTenants.areSeveral
    const tenants = new Set(due.filter((tenantId) => this.#hasMany(tenantId)))
    const steps: Step[] = [
      {
        isDue: () => isShared && this.#results.length > 0,
        run: async () => ({ worked: (await this.#writeResults()) > 0, again: true }),
      },
      {
        isDue: () => this.#fanOut.separate.size > 0,
        run: async () => {
          const fannedOut = await this.#fanOut.takeSeparateTurn(now)
          fannedOut.tenants.forEach((tenantId) => tenants.add(tenantId))
          return { worked: fannedOut.events > 0, again: true }
        },
      },
      { isDue: () => tenants.size > 0, run: () => this.#claim(now, [...tenants]) },
    ]
    return await (isShared ? this.#rotation.runNext(steps) : this.#rotation.runAll(steps))
  }

  #hasMany(tenantId: number): boolean {
    return this.#withMany.has(tenantId) || this.#fanOut.separate.has(tenantId)
  }

  async #findWork(): Promise<Work> {
    const work = await this.#work.find(
      this.#databaseClock === undefined ? this.#clock.now() : undefined,
      this.#lanes.slots().fullTenants,
    )
    if (!work.isOld) {
      this.#databaseClock?.set(work.now)
      this.#noteDue(work)
    }
    // A worker-only process serves no API requests, so its work tells which tenants are active.
    for (const tenantId of [...work.outbox.map(({ tenantId }) => tenantId), ...work.due]) activeTenants.see(tenantId)
    return work
  }

  /** Keeps the earliest time of several queries, which each see some of the tenants. */
  #noteDue({ now, nextDue }: Work): void {
    const at = performance.now()
    if (this.#nextDueAt <= at) this.#nextDueAt = Infinity
    if (nextDue !== null) this.#nextDueAt = Math.min(this.#nextDueAt, at + Date.parse(nextDue) - Date.parse(now))
  }

  /** Retries start at their time and not at the next poll. Many that are due soon after one another share a query. */
  #untilDue(): number {
    return Math.max(SHORTEST_POLL_MS, Math.ceil(this.#nextDueAt - performance.now()) + 1)
  }

  async #writeResults(): Promise<number> {
    const results = this.#results
    if (results.length === 0) return 0
    this.#results = []
    const status = this.#lanes.status()
    try {
      await recordResults(this.#connection, results, {
        owner: this.#owner,
        now: this.#clock.now(),
        lanes: status,
        onLost: ({ delivery: { tenantId, subscriptionId, eventId } }, err) =>
          this.#log.error(
            { err, tenantId, subscriptionId, eventId },
            'could not record the result of a delivery; it will be sent again',
          ),
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
    const kept = await keepLanes(this.#connection, this.#owner, this.#lanes.all)
    // Deliveries claimed ahead for paused or deleted subscriptions are handed back.
    this.#handBack(this.#lanes.takeUnwanted(kept))
    this.#lanesKeptAt = performance.now()
  }

  async #claim(now: Date, due: readonly number[]): Promise<WorkResult> {
    const slots = this.#lanes.slots()
    const full = new Set(slots.fullTenants)
    const tenants = due.filter((tenantId) => !full.has(tenantId))
    if (tenants.length === 0 || slots.free === 0) return { worked: false, again: false }
    const { lanes, claimed, more } = await claimDeliveries(this.#connection, {
      owner: this.#owner,
      now,
      lease: new Date(now.getTime() + LEASE_MS),
      tenants,
      choose: this.#lanes.choose.bind(this.#lanes),
    })
    this.#noteMany(tenants, claimed)
    for (const lane of this.#lanes.add(lanes, claimed, (row) => targetOf(row, this.#encryption, now))) this.#sendFrom(lane)
    return { worked: lanes.length > 0, again: more }
  }

  #noteMany(tenants: readonly number[], claimed: readonly Claimed[]): void {
    const counts = new Map<number, number>()
    for (const { tenantId } of claimed) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1)
    for (const tenantId of tenants) {
      if ((counts.get(tenantId) ?? 0) >= MANY_DELIVERIES) this.#withMany.add(tenantId)
      else this.#withMany.delete(tenantId)
    }
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
    const outcome = await attemptDelivery(delivery, lane.target, this.#sender, this.#clock)
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

  /** Waits until `wake` is called, at most `ms`. */
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
