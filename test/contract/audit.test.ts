import { describe, expect } from 'vitest'
import { openApiDocument } from '@fulfillment/server/openapi/document.ts'
import { it } from './filled-tenant.ts'
import { CHECKS, createRecords, SAMPLES } from './requests.ts'

const operations = Object.entries(openApiDocument().paths as Record<string, Record<string, { operationId: string }>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ id: operationId, method: method.toUpperCase(), path })),
)

// They wait for the first delivery of a webhook, together.
describe.concurrent.each(operations)('$id', ({ id, method, path }) => {
  const isChange = method !== 'GET' && !CHECKS.has(id)
  it(isChange ? 'is in the audit log' : 'is not in the audit log', async ({ service, filled }) => {
    const tenant = isChange ? await service.newTenant() : filled.tenant
    const sample = SAMPLES[id]?.(isChange ? await createRecords(tenant) : filled.records) ?? { path }
    const requestId = `audit-${id}`
    const response = await tenant.request(method, sample.path, sample.body, { headers: { 'x-request-id': requestId } })
    expect(response.status).toBe(200)
    const { body } = await tenant.request('GET', `/audit-log?request_id=${requestId}`)
    const entry = {
      id: expect.any(String),
      at: expect.any(String),
      key_id: expect.any(Number),
      key_name: 'test key',
      address: '127.0.0.1',
      request_id: requestId,
      operation: id,
      input: expect.any(Object),
      surface: 'api',
      session_id: null,
      operator_email: null,
      error: null,
    }
    expect(body.data.entries).toEqual(isChange ? [entry] : [])
  })
})
