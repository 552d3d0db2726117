import { expect } from 'vitest'
import { dataOf, type Topic } from '../../support/topics.ts'
import { eventsOf } from '../../support/events.ts'
import { OPERATOR } from '../../support/picking.ts'
import type { TestService, TestTenant } from '../../support/service.ts'

export const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

export const MAX = 999_999_999_999

export const start = (tenant: TestTenant, body: object) => tenant.request('POST', '/flows', { ...OPERATOR, ...body })

export const complete = (tenant: TestTenant, flow: number) => tenant.request('POST', `/flows/${flow}/complete`)

export const cancel = (tenant: TestTenant, flow: number, body?: object) => tenant.request('POST', `/flows/${flow}/cancel`, body)

export const undo = (tenant: TestTenant, flow: number, pickId: string) =>
  tenant.request('DELETE', `/flows/${flow}/picks/${encodeURIComponent(pickId)}`)

export async function orderOf(tenant: TestTenant, { id }: { id: number }) {
  return (await tenant.request('GET', `/orders/${id}`)).body.data
}

export async function flowOf(tenant: TestTenant, flow: number) {
  return (await tenant.request('GET', `/flows/${flow}`)).body.data
}

export async function movementsOf(tenant: TestTenant, { id }: { id: number }) {
  return (await tenant.request('GET', `/stock/movements?order_id=${id}`)).body.data.movements
}

const seen = new Map<TestTenant, number>()

/** The tenant's events since the last call, each with exactly the fields of its topic. */
export async function newEvents(
  service: TestService,
  tenant: TestTenant,
): Promise<{ event: Topic; data: Record<string, unknown> }[]> {
  const events = await eventsOf(service, tenant)
  const fresh = events.slice(seen.get(tenant) ?? 0)
  seen.set(tenant, events.length)
  return fresh.map(({ event, data }) => {
    const schema = dataOf(event)
    expect(schema.strict().safeParse(data).error).toBeUndefined()
    expect(Object.keys(data)).toEqual(Object.keys(schema.shape))
    return { event, data }
  })
}

export const topics = (events: { event: Topic }[]): Topic[] => events.map(({ event }) => event)
