import { describe, expect } from 'vitest'
import { begin, enter, transition, readCount } from '../../support/counts.ts'
import { failure } from '../../support/orders.ts'
import { stockedProduct } from '../../support/picking.ts'
import type { ServiceResponse, TestTenant } from '../../support/service.ts'
import { newEvents } from '../flows/calls.ts'
import { it } from './it.ts'

const STATES = ['counting', 'review', 'approved', 'cancelled', 'cancelled in review'] as const
type State = (typeof STATES)[number]
type Count = Awaited<ReturnType<typeof begin>>

/** A count of one level of 5, counted as 4 with the entry `first`, in a state. */
async function countIn(state: State, tenant: TestTenant): Promise<Count> {
  await stockedProduct(tenant, { A: 5 })
  const count = await begin(tenant, { reference: 'the count', location_ids: ['A'] })
  await entry(tenant, count, 'first', 4)
  const calls = { counting: [], review: ['submit'], approved: ['submit', 'approve'], cancelled: ['cancel'] }
  const way = state === 'cancelled in review' ? ['submit', 'cancel'] : calls[state]
  for (const call of way) expect((await transition(tenant, count, call)).status).toBe(200)
  return count
}

const entry = (tenant: TestTenant, { id, lines }: Count, entry_id: string, quantity: number) =>
  enter(tenant, { id }, { product_id: lines[0].product_id, location_id: 'A', quantity, entry_id })

const CALLS: Record<string, (tenant: TestTenant, count: Count) => Promise<ServiceResponse>> = {
  'an entry': (tenant, count) => entry(tenant, count, 'second', 3),
  'the first entry again': (tenant, count) => entry(tenant, count, 'first', 4),
  'the count again': (tenant) => tenant.request('POST', '/counts', { reference: 'the count', location_ids: ['A'] }),
  submit: (tenant, count) => transition(tenant, count, 'submit'),
  reopen: (tenant, count) => transition(tenant, count, 'reopen'),
  approve: (tenant, count) => transition(tenant, count, 'approve', { operator_id: 7 }),
  cancel: (tenant, count) => transition(tenant, count, 'cancel', { reason: 'again' }),
}

/** Of each call in each state: the state afterwards, with `!` where its event is sent; or `error`. */
const EXPECTED: Record<string, Record<State, string>> = {
  'an entry': row('counting', 'error', 'error', 'error', 'error'),
  'the first entry again': row('counting', 'review', 'approved', 'cancelled', 'cancelled'),
  'the count again': row('counting', 'review', 'approved', 'cancelled', 'cancelled'),
  submit: row('review!', 'review', 'error', 'error', 'error'),
  reopen: row('counting', 'counting!', 'error', 'error', 'error'),
  approve: row('error', 'approved!', 'approved', 'error', 'error'),
  cancel: row('cancelled!', 'cancelled!', 'error', 'cancelled', 'cancelled'),
}

/** Why a call is refused that the state does not permit. */
const REFUSALS: Record<string, string> = {
  counting: 'The count is still counting: submit it first',
  review: 'The count is submitted: reopen it first',
  approved: 'The count is approved',
  cancelled: 'The count is cancelled',
}

function row(...cells: string[]): Record<State, string> {
  return Object.fromEntries(STATES.map((state, index) => [state, cells[index]])) as Record<State, string>
}

describe.for(STATES)('%s', (state) => {
  it.for(Object.keys(CALLS))('%s', async (call, { tenant, service }) => {
    const count = await countIn(state, tenant)
    const before = await readCount(tenant, count)
    await newEvents(service, tenant)
    const response = (await CALLS[call]?.(tenant, count)) as ServiceResponse
    const after = await readCount(tenant, count)
    const events = await newEvents(service, tenant)
    const expected = EXPECTED[call]?.[state] as string
    if (expected === 'error') {
      expect([failure(response), after, events]).toEqual([[400, 'count_error'], before, []])
      expect(response.body.error.message).toBe(REFUSALS[before.state])
      return
    }
    expect([response.status, response.body.error]).toEqual([200, undefined])
    expect(after.state).toBe(expected.replace('!', ''))
    const isChanged = expected.endsWith('!')
    const change = {
      count_id: count.id,
      reference: 'the count',
      state: after.state,
      previous_state: before.state,
      lines_counted: 1,
      lines_different: after.state === 'approved' ? 1 : null,
      updated_at: after.updated_at,
    }
    expect(events.filter(({ event }) => event === 'count/updated').map(({ data }) => data)).toEqual(
      isChanged ? [expect.objectContaining(change)] : [],
    )
    if (!isChanged && call !== 'an entry') expect(after).toEqual(before)
  })
})

it('a count that does not exist is not found, whatever the call', async ({ tenant }) => {
  const count = await countIn('counting', tenant)
  for (const [name, call] of Object.entries(CALLS))
    if (name !== 'the count again') expect(failure(await call(tenant, { ...count, id: 999 })), name).toEqual([404, 'not_found'])
  expect(failure(await tenant.request('GET', '/counts/999'))).toEqual([404, 'not_found'])
})
