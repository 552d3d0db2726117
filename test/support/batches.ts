import { expect } from 'vitest'
import { newOrder } from './orders.ts'
import { OPERATOR, type PickableProduct } from './picking.ts'
import type { ServiceResponse, TestTenant } from './service.ts'

// Tests read whatever fields they expect.
// oxlint-disable-next-line typescript/no-explicit-any
export type Batch = any

/** Asks for a batch. */
export const requestBatch = (tenant: TestTenant, body: object): Promise<ServiceResponse> =>
  tenant.request('POST', '/flow-batches', { ...OPERATOR, ...body })

/** Starts a batch and returns it. */
export async function startBatch(tenant: TestTenant, body: object): Promise<Batch> {
  const { status, body: answer } = await requestBatch(tenant, body)
  expect([status, answer.error]).toEqual([200, undefined])
  return answer.data
}

/** Creates an order with these lines. */
export const orderWith = (tenant: TestTenant, lines: [product: PickableProduct, quantity: number][], fields: object = {}) =>
  newOrder(tenant, { order_detail: lines.map(([{ barcode }, quantity]) => ({ barcode, quantity })), ...fields })

/** The batch as it is now. */
export const batchOf = async (tenant: TestTenant, { id }: { id: number }): Promise<Batch> =>
  (await tenant.request('GET', `/flow-batches/${id}`)).body.data

/** Calls `complete` or `cancel`. */
export const endBatch = (tenant: TestTenant, { id }: { id: number }, call: 'complete' | 'cancel', body?: object) =>
  tenant.request('POST', `/flow-batches/${id}/${call}`, body)
