import { describe, expect } from 'vitest'
import type { Scope } from '@fulfillment/server/procedures/context.ts'
import { SLICES } from '@fulfillment/server/slices.ts'
import { it as base } from '../../support/it.ts'
import { createRecords, type Records, SAMPLES } from '../../contract/requests.ts'
import type { TestTenant } from '../../support/service.ts'
import { outcome } from '../support/page-client.ts'
import { type BadgedOperator, deviceOf, enrolled, newOperator, type ScanClient } from '../support/scan-client.ts'

/** What a device may call; another list than the server's on purpose. */
const FOR_ALL = [
  'orders.list',
  'orders.get',
  'flows.queue',
  'flows.list',
  'flows.get',
  'flows.start',
  'flows.pick',
  'flows.undoPick',
  'flows.complete',
  'flows.cancel',
  'flowBatches.create',
  'flowBatches.cancel',
  'products.list',
  'products.get',
  'products.getBySku',
  'stock.getBySku',
  'stock.overview',
  'locations.list',
  'settings.get',
  'barcodes.scan',
  'inbound.list',
  'inbound.get',
  'inbound.receive',
  'inbound.undoReceipt',
  'returns.list',
  'returns.get',
  'returns.receive',
  'returns.undoReceipt',
  'counts.list',
  'counts.get',
  'counts.addEntry',
  'counts.submit',
  'shipments.list',
  'shipments.get',
  'shipments.create',
  'shipments.update',
  'shipments.ship',
]
const TO_CHANGE_STOCK = ['stock.transfer', 'stock.adjust', 'stock.setLevel']

const OPERATIONS: { name: string; method: string; scope: Scope }[] = SLICES.flatMap((slice) =>
  slice.endpoints.map(({ name, method, scope }) => ({ name, method, scope })),
)
const ON_DEVICES = OPERATIONS.filter(({ name }) => [...FOR_ALL, ...TO_CHANGE_STOCK].includes(name))

interface Filled {
  tenant: TestTenant
  /** Owns the picking flow of the records. */
  ada: BadgedOperator
  records: Records
}

const it = base
  .extend('filled', { scope: 'file' }, async ({ service }): Promise<Filled> => {
    const tenant = await service.newTenant()
    const ada = await newOperator(tenant, { email: 'ada@example.com', may_change_stock: true })
    return { tenant, ada, records: await createRecords(tenant) }
  })
  .extend('device', { scope: 'file' }, async ({ filled: { tenant, ada } }): Promise<ScanClient> => await deviceOf(tenant, ada))
  // These are made once: a device for each operation takes three times as long as the calls.
  .extend('picker', { scope: 'file' }, async ({ filled: { tenant } }) => await deviceOf(tenant, await newOperator(tenant)))
  .extend('nobody', { scope: 'file' }, async ({ filled: { tenant } }) => await enrolled(tenant))
  .extend('ofOther', { scope: 'file' }, async ({ service }) => {
    const other = await service.newTenant()
    return await deviceOf(other, await newOperator(other, { may_change_stock: true }))
  })
  .extend('without', { scope: 'file' }, async ({ service, filled: { tenant, ada } }) => {
    const known = new Map<Scope, Promise<ScanClient>>()
    const make = async (scope: Scope): Promise<ScanClient> => {
      const key = await tenant.createKey({ name: `without ${scope}` })
      const client = await enrolled(tenant, {}, key)
      await service.db.dedicatedPool.query(
        `update api_keys set scopes = array_remove('{read:orders,write:orders,read:products,read:stock,write:stock}'::text[], $2) where tenant_id = $1 and name = $3`,
        [tenant.id, scope, `without ${scope}`],
      )
      await client.scanBadge(ada)
      return client
    }
    return (scope: Scope): Promise<ScanClient> => {
      const client = known.get(scope) ?? make(scope)
      known.set(scope, client)
      return client
    }
  })

const call = (client: ScanClient, { name, method }: { name: string; method: string }, records: Records) => {
  const { path, body } = SAMPLES[name]!(records)
  return client.call(method, path, body)
}

it('devices have as many operations as there are in the list', () => {
  expect(ON_DEVICES).toHaveLength(FOR_ALL.length + TO_CHANGE_STOCK.length)
  expect(OPERATIONS.length).toBeGreaterThan(2 * ON_DEVICES.length)
})

describe.each(OPERATIONS)('$name', (operation) => {
  const { name, scope } = operation
  const isForAll = FOR_ALL.includes(name)
  const isOnDevices = isForAll || TO_CHANGE_STOCK.includes(name)

  it('is on devices or not', async ({ filled, device }) => {
    const response = await call(device, operation, filled.records)
    // Those before may have completed the flow.
    if (isOnDevices) expect(response.status === 200 || response.body.error.code === 'flow_error', response.text).toBe(true)
    else expect(outcome(response)).toEqual([403, 'not_on_device'])
  })

  it('is for operators who may not change stock, or not', async ({ filled: { records }, picker }) => {
    const response = await call(picker, operation, records)
    // The flow of the records is Ada's, and so are the receipts and the entry, if she was here before.
    const areHers = ['flow_error', 'idempotency_conflict'].includes(response.body.error?.code)
    if (isForAll) expect(response.status === 200 || areHers, response.text).toBe(true)
    else expect(outcome(response)).toEqual([403, 'not_on_device'])
  })

  it('needs an operator', async ({ filled: { records }, nobody }) => {
    expect(outcome(await call(nobody, operation, records))).toEqual([403, isOnDevices ? 'operator_required' : 'not_on_device'])
  })

  it('needs its scope', async ({ filled: { records }, without }) => {
    const expected = isOnDevices ? 'insufficient_scope' : 'not_on_device'
    expect(outcome(await call(await without(scope), operation, records))).toEqual([403, expected])
  })

  it('never shows or changes data of another tenant', async ({ filled: { records }, ofOther }) => {
    const response = await call(ofOther, operation, records)
    if (!isOnDevices) return expect(outcome(response)).toEqual([403, 'not_on_device'])
    const { asOther = 'not_found' } = SAMPLES[name]!(records)
    if (typeof asOther === 'function') asOther(response as never)
    else expect(outcome(response)).toEqual(asOther === 'own' ? [200, undefined] : [404, 'not_found'])
    expect(response.text).not.toContain(records.product.sku)
    expect(response.text).not.toContain(records.order.order_tenant_id)
  })
})

it('a call has the same checks, headers and stored responses as with a key', async ({ filled, device }) => {
  const { path, body } = SAMPLES['stock.adjust']!(filled.records)
  const once = { 'idempotency-key': 'adjust-once', 'x-request-id': 'from-a-device' }
  const first = await device.call('POST', path, body, once)
  const again = await device.call('POST', path, body, once)
  expect([first.status, first.headers['x-request-id'], first.headers['idempotency-replayed']]).toEqual([
    200,
    'from-a-device',
    undefined,
  ])
  expect([again.body, again.headers['idempotency-replayed']]).toEqual([first.body, 'true'])
  expect(outcome(await device.call('POST', path, {}))).toEqual([400, 'validation_error'])
  expect(outcome(await device.call('GET', '/orders/x'))).toEqual([400, 'invalid_id'])
  expect(outcome(await device.call('GET', '/nothing'))).toEqual([404, 'not_found'])
  const wrongMethod = await device.call('PUT', '/orders')
  expect([...outcome(wrongMethod), wrongMethod.headers.allow]).toEqual([405, 'method_not_allowed', 'POST, GET, HEAD'])
})
