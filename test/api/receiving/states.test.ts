import { describe, expect } from 'vitest'
import { failure } from '../../support/orders.ts'
import { announce, type Kind, KINDS, read, type Rec, receive, undo } from '../../support/receiving.ts'
import type { ServiceResponse, TestTenant } from '../../support/service.ts'
import { newProduct } from '../../support/stock.ts'
import { newEvents } from '../flows/calls.ts'
import { it } from './it.ts'

const STATES = ['expected', 'receiving', 'receiving, all undone', 'closed', 'closed after receipts', 'cancelled'] as const
type State = (typeof STATES)[number]

/** A record in a state. Where there was a receipt, its id is `first`. */
async function recordIn(kind: Kind, state: State, tenant: TestTenant): Promise<Rec> {
  const { id } = await newProduct(tenant)
  const record = await announce(kind, tenant, [{ product_id: id, quantity: 5 }], { reference: 'the record' })
  if (['receiving', 'receiving, all undone', 'closed after receipts'].includes(state))
    expect((await receive(kind, tenant, record, { product_id: id, quantity: 2, receipt_id: 'first' })).status).toBe(200)
  if (state === 'receiving, all undone') expect((await undo(kind, tenant, record, 'first')).status).toBe(200)
  const end = state.startsWith('closed') ? 'close' : state === 'cancelled' ? 'cancel' : undefined
  if (end !== undefined) expect((await tenant.request('POST', `${kind.path}/${record.id}/${end}`)).status).toBe(200)
  return { ...record, state: state.split(/,| after/)[0] }
}

const CALLS: Record<string, (kind: Kind, tenant: TestTenant, record: Rec) => Promise<ServiceResponse>> = {
  'a receipt': (kind, tenant, record) =>
    receive(kind, tenant, record, { line_id: record.lines[0].id, quantity: 1, receipt_id: 'new' }),
  'the first receipt again': (kind, tenant, record) =>
    receive(kind, tenant, record, { product_id: record.lines[0].product_id, quantity: 2, receipt_id: 'first' }),
  'undo of the first receipt': (kind, tenant, record) => undo(kind, tenant, record, 'first'),
  'the announcement again': (kind, tenant, record) =>
    tenant.request('POST', kind.path, {
      reference: 'the record',
      lines: [{ product_id: record.lines[0].product_id, quantity: 5 }],
    }),
  close: (kind, tenant, record) => tenant.request('POST', `${kind.path}/${record.id}/close`),
  cancel: (kind, tenant, record) => tenant.request('POST', `${kind.path}/${record.id}/cancel`, { reason: 'late' }),
  'PUT of the note': (kind, tenant, record) => tenant.request('PUT', `${kind.path}/${record.id}`, { note: 'fragile' }),
  'PUT of the date': (kind, tenant, record) =>
    tenant.request('PUT', `${kind.path}/${record.id}`, { note: 'x', expected_at: '2030-01-31' }),
  'PUT of nothing': (kind, tenant, record) => tenant.request('PUT', `${kind.path}/${record.id}`, {}),
}

/** Of each call in each state: the state afterwards, with `!` where its event is sent; or `error`, or `not_found`. */
const EXPECTED: Record<keyof typeof CALLS, Record<State, string>> = {
  'a receipt': row('receiving!', 'receiving', 'receiving', 'error', 'error', 'error'),
  // Without a first receipt, it is a new one.
  'the first receipt again': row('receiving!', 'receiving', 'receiving', 'error', 'closed', 'error'),
  'undo of the first receipt': row('not_found', 'receiving', 'receiving', 'not_found', 'error', 'not_found'),
  'the announcement again': row('expected', 'receiving', 'receiving', 'closed', 'closed', 'cancelled'),
  close: row('closed!', 'closed!', 'closed!', 'closed', 'closed', 'error'),
  cancel: row('cancelled!', 'error', 'cancelled!', 'error', 'error', 'cancelled'),
  'PUT of the note': row('expected', 'receiving', 'receiving', 'closed', 'closed', 'cancelled'),
  'PUT of the date': row('expected', 'receiving', 'receiving', 'error', 'error', 'error'),
  'PUT of nothing': row('expected', 'receiving', 'receiving', 'closed', 'closed', 'cancelled'),
}

function row(...cells: string[]): Record<State, string> {
  return Object.fromEntries(STATES.map((state, index) => [state, cells[index]])) as Record<State, string>
}

describe.for(KINDS)('$name', (kind) => {
  describe.for(STATES)('%s', (state) => {
    it.for(Object.keys(CALLS))('%s', async (call, { tenant, service }) => {
      const record = await recordIn(kind, state, tenant)
      const before = await read(kind, tenant, record)
      expect(before.state).toBe(record.state)
      await newEvents(service, tenant)
      const response = await CALLS[call]?.(kind, tenant, record)
      const after = await read(kind, tenant, record)
      const events = (await newEvents(service, tenant)).filter(({ event }) => event === kind.topic)
      const expected = EXPECTED[call]?.[state] as string
      if (expected === 'error' || expected === 'not_found') {
        expect(failure(response as ServiceResponse)).toEqual(expected === 'error' ? [400, kind.error] : [404, 'not_found'])
        expect([after, events]).toEqual([before, []])
        return
      }
      expect([response?.status, response?.body.error]).toEqual([200, undefined])
      expect(after.state).toBe(expected.replace('!', ''))
      const change = { [kind.eventId]: record.id, state: after.state, previous_state: before.state, updated_at: after.updated_at }
      expect(events.map(({ data }) => data)).toEqual(expected.endsWith('!') ? [expect.objectContaining(change)] : [])
    })
  })
})

describe.for(KINDS)('$name', (kind) => {
  it('has the times of its states, and the reason of its cancellation', async ({ tenant }) => {
    const closed = await recordIn(kind, 'closed', tenant)
    expect(await read(kind, tenant, closed)).toMatchObject({ closed_at: expect.any(String), cancelled_at: null })
    const { id } = await announce(kind, tenant, [{ product_id: closed.lines[0].product_id, quantity: 1 }])
    const cancel = (reason: string) => tenant.request('POST', `${kind.path}/${id}/cancel`, { reason })
    const first = await cancel('late')
    expect(first.body.data).toMatchObject({ closed_at: null, cancelled_at: expect.any(String), cancellation_reason: 'late' })
    expect((await cancel('later')).body).toEqual(first.body)
  })

  it('that does not exist is not found, whatever the call', async ({ tenant }) => {
    const { id } = await newProduct(tenant)
    const record = { id: 999, lines: [{ id: 1, product_id: id }] }
    for (const [name, call] of Object.entries(CALLS))
      if (name !== 'the announcement again') expect(failure(await call(kind, tenant, record)), name).toEqual([404, 'not_found'])
    expect(failure(await tenant.request('GET', `${kind.path}/999`))).toEqual([404, 'not_found'])
    expect(failure(await tenant.request('GET', `${kind.path}/999/receipts`))).toEqual([404, 'not_found'])
  })
})
