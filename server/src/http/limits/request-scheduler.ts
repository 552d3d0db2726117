import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type ActiveTenants, activeTenants } from '../../runtime/event-loop/active-tenants.ts'
import { Pace } from './pace.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Lets the scheduler start another request of the tenant; undefined before the request started and after it left. */
    leaveScheduler?: (() => void) | undefined
  }
}

/** The pace of the default limit. It is also the lowest: lower limits are enforced by 429, not by slowing requests down. */
const DEFAULT_LIMIT = 6_000
const REQUESTS_PER_SECOND = DEFAULT_LIMIT / 60
/** The pace of large bodies. Parsing and validating 5 MB produces garbage, and its collection stops all requests. */
const LARGE_BYTES_PER_SECOND = 2_621_440
/** A request in progress for longer than this takes as much of the pace as several requests. Most take less on a quiet machine. */
const REQUEST_MS = 5
/** A pace that was not used is saved for this long. */
const SAVED_SECONDS = 0.2
/** Slow requests can use up the pace in advance for this long. */
const DEBT_SECONDS = 0.5
/** Requests of a tenant in progress within its pace. Many that start together would all compete with the next request of another tenant. */
const AT_WORK_WITHIN_PACE = 2
/** A tenant that sent large bodies while it was alone waits no longer than this for the next one. */
const LARGE_DEBT_SECONDS = 2

/** Requests of a tenant in progress while other tenants are active and there is no limit. Enough of them to share statements and commits. */
const AT_WORK_WITHOUT_LIMIT = 16
/** A request in progress for longer, such as one that waits for a lock, no longer blocks the tenant's other requests. */
const LONGEST_MS = 250
/** The same for a request with a large body, which takes that long to parse. */
const LONGEST_LARGE_MS = 1_000
/** While requests wait, the next one is also looked for at this interval, because time alone can allow it. */
const TICK_MS = 10
const MAX_QUEUES = 1_000

/** A request in progress. */
export interface StartedRequest {
  readonly queue: TenantQueue
  readonly isLarge: boolean
  /** It exceeded the pace when it started, or has a large body. */
  readonly isBeyondPace: boolean
  readonly startedAtMs: number
}

/** A request that waits. */
interface Waiting {
  largeBytes: number
  start: (request: StartedRequest) => void
}

/** A tenant's requests. */
interface TenantQueue {
  readonly tenantId: number
  readonly pace: Pace
  readonly largePace: Pace
  readonly atWork: Set<StartedRequest>
  readonly small: Waiting[]
  /** Requests with large bodies wait separately, so that they don't block the others. */
  readonly large: Waiting[]
  /** Whether the last request that started was large. */
  wasLarge: boolean
}

/**
 * Shares the process between tenants. While several are active, the requests of each start at the pace of its limit, two in progress, and
 * beyond that one at a time. Large bodies always start one at a time. Otherwise two hundred requests of one tenant that arrive together
 * would share the processor and the database with the next request of another tenant. A single tenant does not wait.
 */
export class RequestScheduler {
  readonly #tenants: ActiveTenants
  readonly #hasLimit: boolean
  readonly #mostWithinPace: number
  /** Number of requests beyond the pace that start in one iteration of the event loop. */
  readonly #atOnce: number
  /** The limit as a multiple of the default, at least 1. */
  readonly #factor: number
  readonly #queues = new Map<number, TenantQueue>()
  readonly #withWaiting = new Set<TenantQueue>()
  #isScheduled = false
  #isTicking = false

  /** Takes the limit of a tenant. 0 means no limit: then there is no pace, and every request exceeds it. */
  constructor(requestsPerMinute: number, tenants = activeTenants) {
    this.#tenants = tenants
    this.#hasLimit = requestsPerMinute > 0
    this.#atOnce = this.#hasLimit ? 1 : AT_WORK_WITHOUT_LIMIT
    this.#factor = Math.max(1, requestsPerMinute / DEFAULT_LIMIT)
    this.#mostWithinPace = Math.floor(AT_WORK_WITHIN_PACE * this.#factor)
  }

  /** Starts a request as soon as its tenant may have another one in progress. Without a promise it has started. Each request must be finished. */
  start(tenantId: number, largeBytes = 0): StartedRequest | Promise<StartedRequest> {
    this.#tenants.see(tenantId)
    const queue = this.#queueOf(tenantId)
    const waiting = largeBytes > 0 ? queue.large : queue.small
    const started = waiting.length === 0 ? this.#startIfFree(queue, largeBytes) : undefined
    if (started !== undefined) return started
    return new Promise((start) => {
      waiting.push({ largeBytes, start })
      this.#withWaiting.add(queue)
      this.#schedule()
    })
  }

  /** Counts a request as no longer in progress. A slow one takes its time from the pace. */
  finish(request: StartedRequest): void {
    const { queue, isLarge, startedAtMs } = request
    queue.atWork.delete(request)
    const ms = Math.min(performance.now() - startedAtMs, LONGEST_MS)
    if (!isLarge && ms > REQUEST_MS) queue.pace.take(ms / REQUEST_MS - 1)
    if (this.#withWaiting.has(queue)) this.#schedule()
  }

  #queueOf(tenantId: number): TenantQueue {
    const known = this.#queues.get(tenantId)
    if (known !== undefined) return known
    if (this.#queues.size >= MAX_QUEUES) this.#forgetIdle()
    const perSecond = this.#hasLimit ? REQUESTS_PER_SECOND * this.#factor : 0
    const bytesPerSecond = LARGE_BYTES_PER_SECOND * this.#factor
    const queue: TenantQueue = {
      tenantId,
      pace: new Pace(perSecond, { saved: perSecond * SAVED_SECONDS, debt: perSecond * DEBT_SECONDS }),
      largePace: new Pace(bytesPerSecond, { saved: bytesPerSecond * SAVED_SECONDS, debt: bytesPerSecond * LARGE_DEBT_SECONDS }),
      atWork: new Set(),
      small: [],
      large: [],
      wasLarge: false,
    }
    this.#queues.set(tenantId, queue)
    return queue
  }

  #forgetIdle(): void {
    for (const [tenantId, queue] of this.#queues) {
      const isIdle = queue.atWork.size === 0 && !this.#withWaiting.has(queue)
      if (isIdle && queue.pace.isFull && queue.largePace.isFull) this.#queues.delete(tenantId)
    }
  }

  /** Starts a request; undefined if it must wait. */
  #startIfFree(queue: TenantQueue, largeBytes: number): StartedRequest | undefined {
    const isLarge = largeBytes > 0
    const isBeyondPace = isLarge || !queue.pace.isAllowed
    if (!this.#tenants.isAlone(queue.tenantId) && !this.#isFree(queue, isLarge, isBeyondPace)) return undefined
    queue.pace.take(1)
    queue.largePace.take(largeBytes)
    const started = { queue, isLarge, isBeyondPace, startedAtMs: performance.now() }
    queue.atWork.add(started)
    return started
  }

  /** Whether another request of the tenant may be in progress beside those of other tenants. */
  #isFree({ atWork, largePace }: TenantQueue, isLarge: boolean, isBeyondPace: boolean): boolean {
    if (this.#hasLimit && isLarge && !largePace.isAllowed) return false
    const counted = countedOf(atWork)
    if (!isBeyondPace) return counted.small < this.#mostWithinPace
    if (!this.#hasLimit) return counted.small + counted.large < AT_WORK_WITHOUT_LIMIT
    return (isLarge ? counted.large : counted.small) === 0
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#startWaiting()
    })
  }

  /** Starts what the pace of each tenant allows. Beyond it, one request per iteration of the event loop, or all that may run if there is no limit. */
  #startWaiting(): void {
    for (const queue of this.#withWaiting) {
      while (queue.pace.isAllowed && this.#startNext(queue, queue.small));
      let started = 0
      while (started < this.#atOnce && this.#startEither(queue)) started++
      if (queue.small.length + queue.large.length === 0) this.#withWaiting.delete(queue)
      else if (started > 0) this.#schedule()
    }
    if (this.#withWaiting.size > 0) this.#tick()
  }

  #tick(): void {
    if (this.#isTicking) return
    this.#isTicking = true
    setTimeout(() => {
      this.#isTicking = false
      this.#schedule()
    }, TICK_MS)
  }

  /** Large and small requests start alternately. */
  #startEither(queue: TenantQueue): boolean {
    const [first, second] = queue.wasLarge ? [queue.small, queue.large] : [queue.large, queue.small]
    return this.#startNext(queue, first) || this.#startNext(queue, second)
  }

  /** Starts the next waiting request if it may start. */
  #startNext(queue: TenantQueue, waiting: Waiting[]): boolean {
    const [next] = waiting
    const started = next && this.#startIfFree(queue, next.largeBytes)
    if (next === undefined || started === undefined) return false
    waiting.shift()
    queue.wasLarge = started.isLarge
    next.start(started)
    return true
  }
}

/** Numbers of requests in progress, without those in progress for too long. */
function countedOf(atWork: ReadonlySet<StartedRequest>): { small: number; large: number } {
  const nowMs = performance.now()
  const counted = { small: 0, large: 0 }
  for (const { isLarge, startedAtMs } of atWork)
    if (nowMs - startedAtMs < (isLarge ? LONGEST_LARGE_MS : LONGEST_MS)) counted[isLarge ? 'large' : 'small']++
  return counted
}

/**
 * Makes each request of the API wait for the scheduler when its body has arrived, so that a slow client keeps no other request waiting. It
 * leaves the scheduler when the response begins, for the same reason.
 */
export function scheduleRequests(app: FastifyInstance, scheduler: RequestScheduler): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const waits = startRequest(request, scheduler)
    if (waits === undefined) done()
    else waits.then(() => done(), done)
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.leaveScheduler?.()
    done(null, payload)
  })
}

/** Starts the request, unless it has started. Without a promise it has. */
export function startRequest(request: FastifyRequest, scheduler: RequestScheduler, largeBytes = 0): Promise<void> | undefined {
  if (request.caller === undefined || request.leaveScheduler !== undefined) return undefined
  const note = (started: StartedRequest): void => {
    request.leaveScheduler = () => {
      request.leaveScheduler = undefined
      scheduler.finish(started)
    }
  }
  const started = scheduler.start(request.caller.tenantId, largeBytes)
  if (started instanceof Promise) return started.then(note)
  note(started)
  return undefined
}
