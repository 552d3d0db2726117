import { describe, expect } from 'vitest'
import { it } from '../../support/shared-service.ts'
import { expectConsistentCounts, failure, newOrder, orderEvents, orderFor } from '../../support/orders.ts'
import { send, type TestTenant } from '../../support/service.ts'
import { get, put } from './calls.ts'

const cancel = (tenant: TestTenant, id: number | string, body?: unknown) =>
  tenant.request('POST', `/orders/${encodeURIComponent(id)}/cancel`, body)

describe('cancelling an order', () => {
  it('sends order/cancelled with the reason, and no order/updated', async ({ service, tenant }) => {
    const { id, order_tenant_id } = await newOrder(tenant)
    await put(tenant, id, { state_id: 2 })
    const response = await cancel(tenant, id, { reason: 'out of stock' })
    expect(response.body.data).toEqual({ message: expect.any(String), order_id: String(id) })
    const { state_id, state_name, updated_at } = await get(tenant, id)
    expect([state_id, state_name]).toEqual([7, 'Cancelled'])
    expect((await orderEvents(service, tenant)).slice(1)).toEqual([
      {
        event: 'order/cancelled',
        data: {
          order_id: id,
          order_tenant_id,
          state_id: 7,
          state_name: 'Cancelled',
          previous_state_id: 2,
          previous_state_name: 'In Progress',
          cancellation_reason: 'out of stock',
          cancelled_by: 'test key',
          cancelled_at: updated_at,
        },
      },
    ])
    await expectConsistentCounts(service.db, tenant)
  })

  it('succeeds without an event if the order is already cancelled', async ({ service, tenant }) => {
    const { id } = await newOrder(tenant)
    await cancel(tenant, id)
    const { updated_at } = await get(tenant, id)
    const again = await cancel(tenant, id, { reason: 'again' })
    expect([again.status, again.body.data.order_id]).toEqual([200, String(id)])
    expect(await orderEvents(service, tenant)).toHaveLength(1)
    expect((await get(tenant, id)).updated_at).toBe(updated_at)
    await expectConsistentCounts(service.db, tenant)
  })

  it('rejects a completed order', async ({ tenant }) => {
    const { id } = await newOrder(tenant)
    await put(tenant, id, { state_id: 5 })
    expect(failure(await cancel(tenant, id))).toEqual([400, 'cancel_error'])
    expect((await get(tenant, id)).state_id).toBe(5)
  })

  it('accepts no body, an empty body, and an empty object, with or without a content type', async ({ service, tenant }) => {
    const requests: [string | undefined, string | undefined][] = [
      [undefined, undefined],
      ['application/json', undefined],
      ['application/json', ''],
      ['text/plain', ''],
      ['application/json', '{}'],
    ]
    for (const [type, body] of requests) {
      const { id } = await newOrder(tenant)
      const headers = { 'x-api-key': tenant.key, ...(type === undefined ? {} : { 'content-type': type }) }
      const response = await fetch(`${service.url}/api/v1/orders/${id}/cancel`, {
        method: 'POST',
        headers,
        ...(body === undefined ? {} : { body }),
      })
      expect([response.status, (await get(tenant, id)).state_id]).toEqual([200, 7])
    }
  })

  it("finds the order by the client's identifier in the path", async ({ tenant }) => {
    const { id, order_tenant_id } = await newOrder(tenant, { order_tenant_id: 'Größe 5/7 #?%' })
    expect((await cancel(tenant, order_tenant_id)).body.data.order_id).toBe(String(id))
    expect(failure(await cancel(tenant, 'nothing'))).toEqual([404, 'not_found'])
  })

  it('treats digits in the path as an order id first, and as the client’s identifier otherwise', async ({ tenant }) => {
    const first = await newOrder(tenant)
    const second = await newOrder(tenant, { order_tenant_id: String(first.id) })
    expect((await cancel(tenant, String(first.id))).body.data.order_id).toBe(String(first.id))
    expect((await get(tenant, second.id)).state_id).toBe(1)
    for (const order_tenant_id of ['888888888888', '99999999999999999999', `0${first.id}`]) {
      const order = await newOrder(tenant, { order_tenant_id })
      expect((await cancel(tenant, order_tenant_id)).body.data.order_id).toBe(String(order.id))
    }
  })

  it('prefers order_tenant_id in the body over the path', async ({ tenant }) => {
    const inPath = await newOrder(tenant)
    const inBody = await newOrder(tenant)
    expect((await cancel(tenant, inPath.id, { order_tenant_id: inBody.order_tenant_id })).body.data.order_id).toBe(
      String(inBody.id),
    )
    expect((await get(tenant, inPath.id)).state_id).toBe(1)
    expect(failure(await cancel(tenant, inPath.id, { order_tenant_id: 'nothing' }))).toEqual([404, 'not_found'])
    // The order's id is not the client's identifier.
    expect(failure(await cancel(tenant, inPath.id, { order_tenant_id: String(inPath.id) }))).toEqual([404, 'not_found'])
    expect((await cancel(tenant, inPath.id, { order_tenant_id: null })).body.data.order_id).toBe(String(inPath.id))
  })

  it('rejects invalid fields and orders of another tenant', async ({ service, tenant }) => {
    const { id, order_tenant_id } = await newOrder(tenant)
    for (const body of [{ reason: 5 }, { reason: 'x'.repeat(1_001) }, { order_tenant_id: 5 }, { order_tenant_id: '' }]) {
      expect(failure(await cancel(tenant, id, body))).toEqual([400, 'validation_error'])
    }
    const other = await service.newTenant()
    for (const name of [id, encodeURIComponent(order_tenant_id)]) {
      expect(failure(await other.request('POST', `/orders/${name}/cancel`))).toEqual([404, 'not_found'])
    }
    expect(failure(await tenant.request('POST', `/orders/${'x'.repeat(256)}/cancel`))).toEqual([404, 'not_found'])
    expect((await get(tenant, id)).state_id).toBe(1)
  })

  it('replays the response for the same Idempotency-Key', async ({ service, tenant }) => {
    const order = await orderFor(tenant)
    const headers = { 'idempotency-key': 'once' }
    const first = await send(`${service.url}/api/v1/orders`, 'POST', order, { key: tenant.key, headers })
    const again = await send(`${service.url}/api/v1/orders`, 'POST', order, { key: tenant.key, headers })
    expect(again.body).toEqual(first.body)
    expect([first.body.data.created_count, again.headers.get('idempotency-replayed')]).toEqual([1, 'true'])
  })
})
