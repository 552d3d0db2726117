import { APIError } from '@fulfillment/sdk'
import { describe, expect, it } from 'vitest'
import { attempt, type Attempt } from '../../../web/scan/queue/attempt.ts'
import type { CompleteEntry, Entry, PickEntry, RecordEntry, Refusal } from '../../../web/scan/queue/entry.ts'
import { interruptionOf } from '../../../web/scan/queue/interruption.ts'
import { nextToSend, type QueueEvent, reduce } from '../../../web/scan/queue/reduce.ts'
import { COUNT, DELIVERY } from '../support/record-model.ts'
import { ADA, type ModelFlow, QueueModel, type Weather } from '../support/queue-model.ts'

function entry(fields: Partial<Entry> & { pick_id?: string | null }): Entry {
  const about = { order_tenant_id: 'SHOP-1', product_name: 'Tea', location_code: 'A' }
  const kind = fields.kind ?? 'pick'
  const body = kind === 'complete' ? null : { order_detail_id: 10, location_id: 'A', quantity: 1 }
  const rest = {
    seq: 1,
    flow_id: 1,
    about,
    operator_id: 1,
    operator_email: ADA,
    added_at: '',
    state: 'waiting',
    attempts: 0,
    error: null,
  }
  return { ...rest, kind, pick_id: 'p1', body, ...fields } as Entry
}

const refusal = (is_certain: boolean): Refusal => ({ reason: 'other', code: 'x', message: 'x', request_id: null, is_certain })

const after = (entries: Entry[], event: QueueEvent): string[] =>
  reduce(entries, event, 9).map(({ kind, pick_id, state }) => `${kind} ${pick_id} ${state}`)

describe('undo of a pick', () => {
  const undo: QueueEvent = { type: 'undo', entry: entry({ kind: 'undo' }) as PickEntry }

  it('that the server has never seen removes it', () => {
    expect(after([entry({})], undo)).toEqual([])
  })

  it.for([
    ['under way', entry({ state: 'sending', attempts: 1 }), 'sending'],
    ['whose response was lost', entry({ attempts: 1 }), 'waiting'],
  ] as const)('%s is sent after it', ([, pick, state]) => {
    expect(after([pick], undo)).toEqual([`pick p1 ${state}`, 'undo p1 waiting'])
    expect(nextToSend(reduce([pick], undo, 9))?.kind).toBe(state === 'waiting' ? 'pick' : undefined)
  })

  it('that was sent is queued, once', () => {
    expect(after([], undo)).toEqual(['undo p1 waiting'])
    expect(after([entry({ kind: 'undo' })], undo)).toEqual(['undo p1 waiting'])
  })

  it('goes with the pick when the server refuses it for certain, and stays when it may have been carried out', () => {
    const both = [entry({ state: 'sending', attempts: 2 }), entry({ kind: 'undo', seq: 2 })]
    expect(after(both, { type: 'refused', seq: 1, error: refusal(true) })).toEqual([])
    const left = reduce(both, { type: 'refused', seq: 1, error: refusal(false) }, 9)
    expect(left.map(({ state }) => state)).toEqual(['refused', 'waiting'])
    expect(nextToSend(left)?.kind).toBe('undo')
    expect(after([...left], { type: 'done', seq: 2 })).toEqual([])
  })
})

describe('sending', () => {
  it('is one at a time, in order, past what was refused', () => {
    const refused = entry({ state: 'refused', error: refusal(true) })
    const second = entry({ seq: 2, pick_id: 'p2' })
    expect(nextToSend([refused, second, entry({ seq: 3, pick_id: 'p3' })])?.seq).toBe(2)
    expect(nextToSend([{ ...second, state: 'sending' }, entry({ seq: 3, pick_id: 'p3' })])).toBeUndefined()
  })

  it('completes a flow when nothing of it waits or was refused; other flows do not matter', () => {
    const complete = entry({ kind: 'complete', seq: 5, pick_id: null })
    expect(nextToSend([entry({ state: 'refused', error: refusal(true) }), complete])).toBeUndefined()
    expect(nextToSend([entry({ flow_id: 2, state: 'refused', error: refusal(true) }), complete])?.kind).toBe('complete')
  })

  it('what was under way when the page went waits again', () => {
    expect(after([entry({ state: 'sending', attempts: 1 })], { type: 'opened' })).toEqual(['pick p1 waiting'])
  })
})

describe('ways out of a refusal', () => {
  const refused = (is_certain: boolean): Entry => entry({ state: 'refused', attempts: 2, error: refusal(is_certain) })
  const elsewhere: QueueEvent = { type: 'elsewhere', seq: 1, pick_id: 'new', location_id: 'B', location_code: 'B' }

  it('Send again keeps the pick_id', () => {
    expect(after([refused(true)], { type: 'again', seq: 1 })).toEqual(['pick p1 waiting'])
  })

  it('Take from elsewhere is a new pick, unless the old one may have been carried out', () => {
    expect(after([refused(true)], elsewhere)).toEqual(['pick new waiting'])
    expect(reduce([refused(true)], elsewhere, 9)).toMatchObject([{ body: { location_id: 'B' }, attempts: 0, error: null }])
    expect(after([refused(false)], elsewhere)).toEqual(['pick p1 refused'])
  })

  it('I put it back drops the pick; one that may have been carried out is undone', () => {
    expect(after([refused(true)], { type: 'put back', seq: 1 })).toEqual([])
    expect(after([refused(false)], { type: 'put back', seq: 1 })).toEqual(['undo p1 waiting'])
  })

  it('a flow that is completed again is sent again, by who completes it', () => {
    const complete = entry({ kind: 'complete', pick_id: null, state: 'refused', attempts: 1, error: refusal(true) })
    const by = { operator_id: 2, operator_email: 'grace@example.com' }
    const again: QueueEvent = { type: 'add', entry: { ...complete, ...by } as CompleteEntry }
    const queue = reduce([complete], again, 9)
    expect(queue).toEqual([{ ...complete, ...by, state: 'waiting', error: null }])
    expect(nextToSend(queue)?.seq).toBe(1)
    expect(after([entry({ kind: 'complete', pick_id: null, state: 'sending' })], again)).toEqual(['complete null sending'])
  })

  it('do nothing to what was not refused', () => {
    expect(after([entry({})], { type: 'put back', seq: 1 })).toEqual(['pick p1 waiting'])
  })
})

describe('an attempt', () => {
  const send = async (
    sent: Entry,
    weathers: Weather[],
    prepare: (model: QueueModel) => void = () => undefined,
  ): Promise<Attempt> => {
    const model = new QueueModel()
    prepare(model)
    model.weathers = weathers
    return await attempt(sent, model)
  }
  const first = (model: QueueModel): ModelFlow => {
    const flow = model.flows.get(1)
    if (flow === undefined) throw new Error('no flow')
    return flow
  }

  it.for([
    ['lost before', { is: 'unanswered' }],
    ['busy', { is: 'unanswered' }],
    ['limited', { is: 'unanswered' }],
    ['still running', { is: 'unanswered', retryAfterMs: 1_000 }],
    ['proxy page', { is: 'unanswered' }],
    ['proxy sign-in', { is: 'unanswered' }],
    ['no session', { is: 'stopped', until: 'enrolled' }],
    ['no operator', { is: 'stopped', until: 'signed in' }],
  ] as const)('with %s decides nothing', async ([weather, result]) => {
    expect(await send(entry({}), [weather])).toMatchObject(result)
  })

  it('whose Idempotency-Key was used for something else is refused', () => {
    const conflict = new APIError({ status: 409, code: 'idempotency_conflict', message: 'x' })
    expect(interruptionOf(conflict)).toBeUndefined()
  })

  const changes: [reason: string, change: (model: QueueModel) => void, detail: object][] = [
    ['over', (model) => void (first(model).state = 'cancelled'), { state: 'cancelled' }],
    ['operator', (model) => void (first(model).operator = 'grace@example.com'), { operator: 'grace@example.com' }],
    ['beyond', (model) => void first(model).lines.set(10, 0), { left: 0 }],
    ['stock', (model) => void first(model).stock.set('A', 0), { left: 0 }],
    ['place', (model) => void first(model).closed.add('A'), { state: 'started' }],
  ]
  it.for(changes)('that is refused says why: %s', async ([reason, prepare, detail]) => {
    const result = await send(entry({}), [], prepare)
    expect(result).toMatchObject({ is: 'refused', error: { reason, is_certain: true, ...detail } })
  })

  it('finds a pick that an earlier attempt had carried out', async () => {
    const model = new QueueModel()
    model.weathers = ['lost after']
    expect(await attempt(entry({}), model)).toMatchObject({ is: 'unanswered' })
    model.weathers = ['forbidden']
    expect(await attempt(entry({ attempts: 2 }), model)).toMatchObject({ is: 'done' })
  })

  it('is uncertain when it is refused after a lost one, and the flow cannot be read', async () => {
    expect(await send(entry({ attempts: 2 }), ['forbidden', 'forbidden'])).toMatchObject({ error: { is_certain: false } })
    expect(await send(entry({ attempts: 1 }), ['forbidden', 'forbidden'])).toMatchObject({ error: { is_certain: true } })
  })

  it('to complete a completed flow succeeds', async () => {
    const complete = entry({ kind: 'complete', pick_id: null })
    expect(await send(complete, [], (model) => void (first(model).state = 'completed'))).toMatchObject({ is: 'done' })
    expect(await send(complete, [], (model) => void (first(model).state = 'cancelled'))).toMatchObject({ is: 'refused' })
  })

  it('to undo what never arrived, or what a cancelled flow returned, succeeds', async () => {
    expect(await send(entry({ kind: 'undo' }), [])).toEqual({ is: 'done' })
    const pick = { line: 10, location: 'A', quantity: 1, isUndone: false }
    const cancelled = (model: QueueModel): void => {
      first(model).picks.set('p1', pick)
      first(model).state = 'cancelled'
    }
    expect(await send(entry({ kind: 'undo' }), [], cancelled)).toMatchObject({ is: 'done' })
  })

  it('passes on what is no error of a call', async () => {
    const model = new QueueModel()
    model.pick = () => Promise.reject(new TypeError('defect'))
    await expect(attempt(entry({}), model)).rejects.toThrow('defect')
  })
})

describe('entries of records', () => {
  const BY = { seq: 1, operator_id: 1, operator_email: ADA, added_at: '', state: 'waiting', attempts: 0, error: null } as const
  const about = { order_tenant_id: 'PO-1', product_name: 'Tea', location_code: 'A' }
  const receipt = (fields: object = {}): RecordEntry => {
    const body = { product_id: 1, location_id: 'A', quantity: 2 }
    return { ...BY, about, flow_id: null, record: DELIVERY, kind: 'receipt', pick_id: 'r1', body, ...fields }
  }
  const count = (fields: object = {}): RecordEntry => receipt({ kind: 'count', record: COUNT, pick_id: 'c1', ...fields })
  const fresh = (one: RecordEntry): QueueEvent => ({ type: 'add', entry: one })
  const send = async (sent: Entry, weathers: Weather[], prepare: (model: QueueModel) => void = () => undefined) => {
    const model = new QueueModel()
    prepare(model)
    model.weathers = weathers
    return await attempt(sent, model)
  }

  it('are apart from picks, also with the same numbers', () => {
    const picked = entry({ pick_id: 'r1' })
    expect(after([picked], fresh(receipt()))).toEqual(['pick r1 waiting', 'receipt r1 waiting'])
    expect(after([receipt()], { type: 'cancelled', flow_id: DELIVERY.id })).toEqual(['receipt r1 waiting'])
    const complete = entry({ kind: 'complete', seq: 5, pick_id: null, flow_id: DELIVERY.id })
    expect(nextToSend([receipt({ state: 'refused' }), complete])?.kind).toBe('complete')
  })

  it('a count replaces one of the same level that was refused or not sent, and follows one that may be on its way', () => {
    const second = fresh(count({ pick_id: 'c2' }))
    expect(after([count()], second)).toEqual(['count c2 waiting'])
    expect(after([count({ state: 'refused', attempts: 2, error: refusal(false) })], second)).toEqual(['count c2 waiting'])
    expect(after([count({ attempts: 1 })], second)).toEqual(['count c1 waiting', 'count c2 waiting'])
    const elsewhere = count({ body: { product_id: 1, location_id: 'B', quantity: 2 } })
    expect(after([elsewhere], second)).toEqual(['count c1 waiting', 'count c2 waiting'])
    const both = [count({ state: 'sending', attempts: 1 }), count({ seq: 2, pick_id: 'c2' })]
    expect(after(both, { type: 'refused', seq: 1, error: refusal(true) })).toEqual(['count c2 waiting'])
  })

  it('a receipt that is refused says why', async () => {
    const close = (model: QueueModel): void => void (model.records.delivery.state = 'closed')
    const less = (model: QueueModel): void => void (model.records.delivery.expected = 1)
    const again = receipt({ attempts: 2 })
    expect(await send(again, [], close)).toMatchObject({
      is: 'refused',
      error: { reason: 'over', state: 'closed', is_certain: true },
    })
    expect(await send(again, [], less)).toMatchObject({ is: 'refused', error: { reason: 'beyond', left: 1, is_certain: true } })
    expect(await send(again, ['forbidden'])).toMatchObject({ is: 'refused', error: { reason: 'other', is_certain: false } })
    expect(await send(again, ['forbidden', 'lost before'])).toMatchObject({ is: 'unanswered' })
  })

  it('a count that has waited for more than a minute is not sent', async () => {
    const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()
    const submitted = (model: QueueModel): void => void (model.records.count.state = 'review')
    expect(await send(count({ added_at: minutesAgo(2) }), [])).toMatchObject({ is: 'refused', error: { reason: 'late' } })
    // The clock of the device was set back: it is not known how long the count has waited.
    expect(await send(count({ added_at: minutesAgo(-60) }), [])).toMatchObject({ is: 'refused', error: { reason: 'late' } })
    expect(await send(count({ added_at: minutesAgo(0) }), [])).toMatchObject({ is: 'done' })
    expect(await send(count({ added_at: minutesAgo(0) }), [], submitted)).toMatchObject({
      error: { reason: 'over', state: 'review' },
    })
    // However long it takes: goods that came have come.
    expect(await send(receipt({ added_at: minutesAgo(9_999) }), [])).toMatchObject({ is: 'done' })
  })
})
