import type { TestTenant } from '../../support/service.ts'

export const submit = (tenant: TestTenant, body: unknown) => tenant.request('POST', '/orders', body)

export const get = async (tenant: TestTenant, id: number) => (await tenant.request('GET', `/orders/${id}`)).body.data

export const put = (tenant: TestTenant, id: number, body: unknown) => tenant.request('PUT', `/orders/${id}`, body)
