import fc from 'fast-check'
import { expect, it } from 'vitest'
import { attempt } from '../../../web/scan/queue/attempt.ts'
import type { Entry, RecordRef } from '../../../web/scan/queue/entry.ts'
import { nextToSend, type QueueEvent, reduce } from '../../../web/scan/queue/reduce.ts'
import { COUNT, DELIVERY } from '../support/record-model.ts'
import { ADA, QueueModel, type Weather, WEATHERS } from '../support/queue-model.ts'

const RUNS = Number(process.env.PROPERTY_RUNS ?? 2_000)

type Step =
  | { do: 'pick'; flow: number; line: number; location: string; quantity: number }
  | { do: 'receive'; quantity: number }
  | { do: 'count'; location: string; quantity: number }
  /** Of a pick or a receipt. */
  | { do: 'undo'; which: number }
  | { do: 'complete'; flow: number }
  | { do: 'send'; weathers: Weather[] }
  /** A lost response, then a refusal that cannot be looked into. */
  | { do: 'doubt' }
  /** The browser is killed: before the request, or after it, when the response was not stored. */
  | { do: 'crash'; isSent: boolean; weather: Weather }
  | { do: 'resolve'; which: number; how: 'again' | 'put back' | 'elsewhere' | 'again as new' }
  | { do: 'others'; flow: number; what: 'cancel' | 'complete' | 'assign' | 'assign back' | 'take stock' | 'take line' }
  | { do: 'office'; what: 'close' | 'expect less' | 'submit' | 'reopen' }

const flow = fc.constantFrom(1, 2)
const weather = fc.constantFrom(...WEATHERS)
/** Of a request and of the read after a refusal. The rare ones that a wrong decision hides in come often. */
const weathers = fc.oneof(
  fc.constantFrom<Weather[]>(['good'], ['lost after'], ['lost after'], ['forbidden'], ['forbidden', 'forbidden']),
  fc.array(weather, { maxLength: 2 }),
)
const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('pick' as const),
        flow,
        line: fc.nat(1),
        location: fc.constantFrom('A', 'B'),
        quantity: fc.integer({ min: 1, max: 2 }),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('receive' as const), quantity: fc.integer({ min: 1, max: 3 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('count' as const), location: fc.constantFrom('A', 'B'), quantity: fc.nat(9) }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('undo' as const), which: fc.nat(9) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('office' as const),
        what: fc.constantFrom('close' as const, 'expect less' as const, 'submit' as const, 'reopen' as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('complete' as const), flow }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constant('send' as const), weathers }) },
    { weight: 2, arbitrary: fc.constant<Step>({ do: 'doubt' }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), isSent: fc.boolean(), weather }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('resolve' as const),
        which: fc.oneof(fc.constant(0), fc.nat(3)),
        how: fc.constantFrom('again' as const, 'put back' as const, 'elsewhere' as const, 'again as new' as const),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('others' as const),
        flow,
        what: fc.constantFrom(
          'cancel' as const,
          'complete' as const,
          'assign' as const,
          'assign back' as const,
          'take stock' as const,
          'take line' as const,
        ),
      }),
    },
  ),
  { maxLength: 40 },
)

/** Something that the operator heard an ok for. It may get another pick_id on the way. */
interface Ok {
  /** Null for a receipt. */
  flow: number | null
  ids: string[]
  isUndone: boolean
  /** The operator gave up the last entry of it. */
  isSettled: boolean
}

/** A device with its queue, a server, and what the operator believes. */
class World {
  entries: readonly Entry[] = []
  readonly server = new QueueModel()
  readonly oks: Ok[] = []
  /** The latest count of each location: a later one replaces it. */
  readonly counts = new Map<string, { entry_id: string; isGivenUp: boolean }>()
  readonly completed = new Map<number, 'queued' | 'given up'>()
  #seq = 1
  #id = 1

  apply(event: QueueEvent): void {
    this.entries = reduce(this.entries, event, this.#seq++)
    expect(this.entries.filter(({ state }) => state === 'sending').length).toBeLessThanOrEqual(1)
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'pick':
        return this.#pick(step)
      case 'receive':
        return this.#receive(step.quantity)
      case 'count':
        return this.#count(step)
      case 'undo':
        return this.#undo(step.which)
      case 'complete':
        return this.#complete(step.flow)
      case 'send':
        return await this.send(step.weathers)
      case 'doubt':
        await this.send(['lost after'])
        return await this.send(['forbidden', 'forbidden'])
      case 'crash':
        return await this.#crash(step)
      case 'resolve':
        return this.#resolve(step)
      case 'others':
        return this.#others(step)
      case 'office':
        return this.#office(step.what)
    }
  }

  /** Sends the next entry, as the sender does. */
  async send(weathers: Weather[]): Promise<void> {
    const entry = this.#begin()
    if (entry === undefined) return
    this.server.weathers = [...weathers]
    const result = await attempt(entry, this.server)
    this.server.weathers = []
    if (result.is === 'done') this.apply({ type: 'done', seq: entry.seq })
    else if (result.is === 'refused') this.apply({ type: 'refused', seq: entry.seq, error: result.error })
    else this.apply({ type: 'unanswered', seq: entry.seq })
  }

  #begin(): Entry | undefined {
    const next = nextToSend(this.entries)
    if (next === undefined) return undefined
    // A flow is completed when all of it is there.
    if (next.kind === 'complete') expect(this.entries.filter(({ flow_id }) => flow_id === next.flow_id)).toEqual([next])
    this.apply({ type: 'sending', seq: next.seq })
    return this.entries.find(({ seq }) => seq === next.seq)
  }

  async #crash({ isSent, weather }: Extract<Step, { do: 'crash' }>): Promise<void> {
    const entry = this.#begin()
    if (entry !== undefined && isSent) {
      this.server.weathers = [weather]
      await attempt(entry, this.server)
      this.server.weathers = []
    }
    this.apply({ type: 'opened' })
  }

  #pick({ flow, line, location, quantity }: Extract<Step, { do: 'pick' }>): void {
    const pick_id = `p${this.#id++}`
    const body = { order_detail_id: flow * 10 + line, location_id: location, quantity }
    this.apply({ type: 'add', entry: { ...ofFlow(flow), kind: 'pick', pick_id, body } })
    this.oks.push({ flow, ids: [pick_id], isUndone: false, isSettled: false })
  }

  #receive(quantity: number): void {
    const pick_id = `r${this.#id++}`
    const body = { product_id: 1, location_id: 'A', quantity }
    this.apply({ type: 'add', entry: { ...ofRecord(DELIVERY), kind: 'receipt', pick_id, body } })
    this.oks.push({ flow: null, ids: [pick_id], isUndone: false, isSettled: false })
  }

  #count({ location, quantity }: Extract<Step, { do: 'count' }>): void {
    const pick_id = `c${this.#id++}`
    const body = { product_id: 1, location_id: location, quantity }
    this.apply({ type: 'add', entry: { ...ofRecord(COUNT), kind: 'count', pick_id, body } })
    this.counts.set(location, { entry_id: pick_id, isGivenUp: false })
  }

  #complete(flow: number): void {
    const waits = (): boolean => this.entries.some((entry) => isEnd(entry, flow) && entry.state !== 'refused')
    // Again only after a refusal.
    if (this.completed.has(flow) && (waits() || !this.entries.some((entry) => isEnd(entry, flow)))) return
    this.completed.set(flow, 'queued')
    this.apply({ type: 'add', entry: { ...ofFlow(flow), kind: 'complete', pick_id: null, body: null } })
    expect(waits()).toBe(true)
  }

  #undo(which: number): void {
    const ok = this.oks[which]
    const pick_id = ok?.ids.at(-1)
    const entry = this.entries.find((entry) => entry.kind !== 'undo' && entry.pick_id === pick_id)
    // Refused picks have ways out of their own.
    if (ok === undefined || pick_id === undefined || ok.isUndone || entry?.state === 'refused') return
    ok.isUndone = true
    const undo = { kind: 'undo', pick_id } as const
    const body = { order_detail_id: 0, product_id: 1, location_id: '', quantity: 1 }
    this.apply({
      type: 'undo',
      entry: ok.flow === null ? { ...ofRecord(DELIVERY), ...undo, body } : { ...ofFlow(ok.flow), ...undo, body },
    })
  }

  #resolve({ which, how }: Extract<Step, { do: 'resolve' }>): void {
    const problem = this.entries.filter(({ state }) => state === 'refused')[which]
    if (problem === undefined) return
    const ok = this.oks.find(({ ids }) => ids.at(-1) === problem.pick_id)
    const { seq } = problem
    const pick_id = `p${this.#id++}`
    if (how === 'elsewhere') this.apply({ type: how, seq, pick_id, location_id: 'B', location_code: 'B' })
    else this.apply(how === 'again as new' ? { type: how, seq, pick_id } : { type: how, seq })
    if (this.entries.some((entry) => entry.pick_id === pick_id)) ok?.ids.push(pick_id)
    if (how !== 'put back') return
    for (const count of this.counts.values()) count.isGivenUp ||= count.entry_id === problem.pick_id
    if (problem.kind === 'complete') this.completed.set(problem.flow_id, 'given up')
    if (ok !== undefined && problem.kind === 'undo') ok.isSettled = true
    if (ok !== undefined) ok.isUndone = true
  }

  #others({ flow: id, what }: Extract<Step, { do: 'others' }>): void {
    const flow = this.server.flows.get(id)
    if (flow === undefined) return
    if (what === 'assign') flow.operator = 'grace@example.com'
    else if (what === 'assign back') flow.operator = ADA
    else if (what === 'take stock') flow.stock.set('A', 0)
    else if (what === 'take line') flow.lines.set(id * 10, 1)
    else if (flow.state === 'started') flow.state = what === 'cancel' ? 'cancelled' : 'completed'
  }

  #office(what: Extract<Step, { do: 'office' }>['what']): void {
    const { delivery, count } = this.server.records
    if (what === 'close') delivery.state = 'closed'
    else if (what === 'expect less') delivery.expected = 4
    else count.state = what === 'submit' ? 'review' : 'counting'
  }

  check(): void {
    for (const [location, { entry_id, isGivenUp }] of this.counts) {
      const done = this.server.records.entries.filter((entry) => entry.location === location).map((entry) => entry.entry_id)
      const isThere = this.entries.some(({ pick_id }) => pick_id === entry_id)
      expect(isGivenUp || isThere || done.at(-1) === entry_id, JSON.stringify([entry_id, done, this.entries])).toBe(true)
      // Never an older one after a newer one.
      expect(done).toEqual(done.toSorted((one, other) => Number(one.slice(1)) - Number(other.slice(1))))
    }
    for (const ok of this.oks) expect(this.#verdictOf(ok), JSON.stringify([ok, this.entries])).toBe('exactly once')
    for (const [id, was] of this.completed) {
      const isThere = this.entries.some((entry) => isEnd(entry, id))
      expect(was === 'given up' || isThere || this.server.flows.get(id)?.state === 'completed').toBe(true)
    }
    expect([...this.server.carriedOut.values()].every((times) => times === 1)).toBe(true)
  }

  /** Whether what the operator did is on the server or in the Problems, and not twice. */
  #verdictOf({ flow, ids, isUndone, isSettled }: Ok): string {
    const isActive = (id: string): boolean =>
      flow === null ? this.server.records.receipts.get(id)?.isUndone === false : this.server.isActive(flow, id)
    const active = ids.filter(isActive)
    if (active.length > 1) return 'twice on the server'
    const isProblem = this.entries.some(({ kind, pick_id }) => kind !== 'complete' && pick_id === ids.at(-1))
    if (isSettled || isProblem) return 'exactly once'
    // The server puts the picks of a cancelled flow back.
    const isBack = active.length === 0 || (flow !== null && this.server.flows.get(flow)?.state === 'cancelled')
    if (isUndone) return isBack ? 'exactly once' : 'taken, although it was put back'
    return active.length === 1 ? 'exactly once' : 'lost'
  }
}

const ABOUT = { product_name: 'Tea', location_code: 'A' }
const BY = { operator_id: 1, operator_email: ADA, added_at: '' }

const isEnd = ({ kind, flow_id }: Entry, flow: number): boolean => kind === 'complete' && flow_id === flow

const ofFlow = (flow: number) => ({ ...BY, flow_id: flow, about: { ...ABOUT, order_tenant_id: `SHOP-${flow}` } })

const ofRecord = (record: RecordRef) => ({ ...BY, flow_id: null, record, about: { ...ABOUT, order_tenant_id: 'PO-1' } })

/** Sends until nothing is left to send. Problems that hold something up stay. */
async function drain(world: World): Promise<void> {
  for (let left = 200; nextToSend(world.entries) !== undefined; left--) {
    expect(left, 'the queue comes to an end').toBeGreaterThan(0)
    await world.send([])
  }
}

it('what sounded ok is on the server exactly once or in the Problems, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const world = new World()
      for (const step of steps) await world.take(step)
      await drain(world)
      world.check()
    }),
    { numRuns: RUNS },
  )
})
