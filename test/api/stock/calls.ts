import { expect } from 'vitest'
import type { TestService, TestTenant } from '../../support/service.ts'
import { stockEvents } from '../../support/stock.ts'

export const MAX = 999_999_999_999

export async function movementsOf(tenant: TestTenant, query = '') {
  return (await tenant.request('GET', `/stock/movements${query}`)).body.data
}

export async function locationsOf(tenant: TestTenant): Promise<string[]> {
  return (await tenant.request('GET', '/locations')).body.data.locations.map((location: { id: string }) => location.id)
}

/** Expects that a refused call has written nothing. */
export async function expectNothingWritten(service: TestService, tenant: TestTenant) {
  expect(await locationsOf(tenant)).toEqual([])
  expect((await movementsOf(tenant)).pagination.total).toBe(0)
  expect(await stockEvents(service.db, tenant)).toEqual([])
}
