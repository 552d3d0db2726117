import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '../../server/src/openapi/document.ts'
import { startService, type TestService } from '../support/service.ts'
import { createRecords, SAMPLES } from './requests.ts'

const operations = Object.entries(openApiDocument().paths as Record<string, Record<string, { operationId: string }>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ id: operationId, method: method.toUpperCase(), path })),
)

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

describe.each(operations)('$id', ({ id, method, path }) => {
  it(method === 'GET' ? 'leaves no trace in the audit log' : 'is in the audit log', async () => {
    const tenant = await service.newTenant()
    const records = await createRecords(tenant)
    const sample = SAMPLES[id]?.(records) ?? { path }
    const requestId = `audit-${id}`
    const answer = await tenant.request(method, sample.path, sample.body, { headers: { 'x-request-id': requestId } })
    expect(answer.status).toBe(200)
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
      error: null,
    }
    expect(body.data.entries).toEqual(method === 'GET' ? [] : [entry])
  })
})
