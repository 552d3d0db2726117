import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'vitest'
import { AuditTrail } from '@fulfillment/server/domain/audit/index.ts'
import { it } from '../support/shared-service.ts'
import type { TestTenant } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'

const PART = 10

/** Open connections of a client. */
async function connections({ url }: TestTenant): Promise<Socket[]> {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: PART }, () => connect(Number(port), hostname))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return sockets
}

it('clients that send a change and are gone make no call of another tenant fail', async ({ service, tenant }) => {
  const other = await service.newTenant()
  const [ours, theirs] = [await newProduct(tenant), await newProduct(other)]
  const change = (id: number): object => ({ product_id: id, location_id: 'A', adjustment_quantity: 1 })
  const body = JSON.stringify(change(theirs.id))
  const head = [
    'POST /api/v1/stock/adjustment HTTP/1.1',
    `Host: localhost\r\nX-API-Key: ${other.key}`,
    `Content-Type: application/json\r\nContent-Length: ${body.length}`,
  ]
  const statuses: number[] = []
  for (let round = 0; round < 10; round++) {
    const sockets = await connections(other)
    // The server has the key at hand, and has accepted the connections.
    await other.request('GET', '/warehouses')
    const calls = Array.from({ length: PART }, () => tenant.request('POST', '/stock/adjustment', change(ours.id)))
    for (const socket of sockets) {
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
      socket.resetAndDestroy()
    }
    statuses.push(...(await Promise.all(calls)).map(({ status }) => status))
  }
  expect(statuses).toEqual(Array.from({ length: 10 * PART }, () => 200))
})

it('an entry of the audit log that cannot be written makes its own call fail, and no other', async ({ service, tenant }) => {
  const trail = new AuditTrail(service.db, () => {})
  const caller = {
    tenantId: tenant.id,
    mode: 'live' as const,
    defaultWarehouse: { id: 1, name: 'Main' },
    keyId: (await tenant.request('GET', '/api-keys')).body.data.api_keys[0].id as number,
    keyName: 'test key',
    scopes: [],
  }
  const begin = (address: string | null) =>
    trail.begin({
      caller,
      address: address as string,
      requestId: `from ${address}`,
      surface: 'api',
      operation: 'stock.adjust',
      path: '/stock/adjustment',
      input: {},
    })
  const begun = await Promise.allSettled(['::1', null, '::2'].map(begin))
  expect(begun.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  await trail.close()
  const { entries } = (await tenant.request('GET', '/audit-log')).body.data
  expect(entries.map(({ request_id }: { request_id: string }) => request_id).toSorted()).toEqual(['from ::1', 'from ::2'])
})
