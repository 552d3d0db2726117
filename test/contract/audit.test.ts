import { describe, expect } from 'vitest'
import { it } from './filled-tenant.ts'
import { OPERATIONS } from './operations.ts'
import { CHECKS, SAMPLES } from './requests.ts'

// What a change leaves in the audit log is in every-change.test.ts.
const readings = OPERATIONS.filter(({ id, method }) => method === 'GET' || CHECKS.has(id))

describe.each(readings)('$id', ({ id, method, path }) => {
  it('is not in the audit log', async ({ filled: { tenant, records } }) => {
    const sample = SAMPLES[id]?.(records) ?? { path }
    const requestId = `audit-${id}`
    const response = await tenant.request(method, sample.path, sample.body, { headers: { 'x-request-id': requestId } })
    expect(response.status).toBe(200)
    const { body } = await tenant.request('GET', `/audit-log?request_id=${requestId}`)
    expect(body.data.entries).toEqual([])
  })
})
