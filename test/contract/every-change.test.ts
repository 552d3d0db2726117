import { describe, expect } from 'vitest'
import { it } from '../support/it.ts'
import type { ServiceResponse, TestService, TestTenant } from '../support/service.ts'
import { type Operation, OPERATIONS } from './operations.ts'
import { CHECKS, sampleOf } from './requests.ts'

const changes = OPERATIONS.filter(({ method }) => method !== 'GET')

/** What came of a change, by a tenant of its own. */
interface Called {
  tenant: TestTenant
  /** The request by a key with exactly the scope of the operation. */
  first: ServiceResponse
  again: ServiceResponse
  /** Another request with the same `Idempotency-Key`. */
  other: ServiceResponse
}

async function call(service: TestService, { id, method, scope }: Operation): Promise<Called> {
  const tenant = await service.newTenant()
  const { path, body } = await sampleOf(tenant, id)
  const key = await tenant.createKey({ scopes: [scope] })
  const send = (sent: unknown, requestId: string): Promise<ServiceResponse> =>
    tenant.request(method, path, sent, { key, headers: { 'idempotency-key': 'the same', 'x-request-id': requestId } })
  return {
    tenant,
    first: await send(body, `first-${id}`),
    again: await send(body, `again-${id}`),
    other: await send({ ...(body as object), added: 1 }, `other-${id}`),
  }
}

// They wait for the first delivery of a webhook, together.
describe.concurrent.each(changes)('$id', (operation) => {
  const { id, parameters } = operation
  let calling: Promise<Called> | undefined
  const called = (service: TestService): Promise<Called> => (calling ??= call(service, operation))

  it('documents the header', () => {
    expect(parameters.some(({ in: place, name }) => place === 'header' && name === 'Idempotency-Key')).toBe(true)
  })

  it('accepts a key with exactly its scope', async ({ service }) => {
    const { first } = await called(service)
    expect([first.status, first.body.error]).toEqual([200, undefined])
  })

  it('returns the first response again for the same key and request, and rejects a different request', async ({ service }) => {
    const { tenant, first, again, other } = await called(service)
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, null])
    expect([again.status, again.headers.get('idempotency-replayed'), again.body]).toEqual([200, 'true', first.body])
    expect([other.status, other.body.error?.code]).toEqual([409, 'idempotency_conflict'])
    const { entries } = (await tenant.request('GET', `/audit-log?operation=${id}`)).body.data
    const executed = entries
      .map((entry: { request_id: string }) => entry.request_id)
      .filter((sent: string) => sent.endsWith(`-${id}`))
    expect(executed).toEqual(CHECKS.has(id) ? [] : [`first-${id}`])
  })

  it.skipIf(CHECKS.has(id))('is in the audit log', async ({ service }) => {
    const { tenant } = await called(service)
    const { body } = await tenant.request('GET', `/audit-log?request_id=first-${id}`)
    const entry = {
      id: expect.any(String),
      at: expect.any(String),
      key_id: expect.any(Number),
      key_name: 'test key',
      address: '127.0.0.1',
      request_id: `first-${id}`,
      operation: id,
      input: expect.any(Object),
      surface: 'api',
      session_id: null,
      operator_email: null,
      error: null,
    }
    expect(body.data.entries).toEqual([entry])
  })
})
