// Checked by tsc, not run: the SDK's types as its users see them.
import type { RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { RequestHandler } from 'express'
import { expectTypeOf } from 'vitest'
import {
  APIError,
  type APIPromise,
  type ErrorCode,
  type FulfillmentClient,
  type Order,
  type OrderCreatedEvent,
  type OrderSummary,
  type WebhookEvent,
  type WebhookEventOf,
  type WebhookTopic,
} from '@fulfillment/sdk'
import { fetchReceiver, type ReceiverOptions, verifyWebhook } from '@fulfillment/sdk/webhooks'
import { expressReceiver, fastifyReceiver, nodeReceiver, verifyWebhookSync } from '@fulfillment/sdk/webhooks/node'
import { testEvent } from '@fulfillment/sdk/webhooks/testing'
import type { ApiErrorCode as ServedErrorCode } from '@fulfillment/server/errors/error-codes.ts'

declare const client: FulfillmentClient
declare const options: ReceiverOptions

export async function calls(): Promise<void> {
  expectTypeOf(client.orders.get(1)).toEqualTypeOf<APIPromise<Order>>()
  expectTypeOf(await client.orders.get(1)).toEqualTypeOf<Order>()
  expectTypeOf((await client.orders.get(1).withResponse()).data).toEqualTypeOf<Order>()
  expectTypeOf(client.orders.get(1)).toExtend<Promise<Order>>()

  // @ts-expect-error the id is a number
  void client.orders.get('1')
  // @ts-expect-error the id is missing
  void client.orders.get()
  // @ts-expect-error a field is missing
  void client.products.create({ name: 'Tea' })
  // @ts-expect-error there is no such filter
  void client.orders.list({ colour: 'red' })
  // @ts-expect-error a GET takes no idempotency key
  void client.orders.get(1, { idempotencyKey: 'k' })

  // A default on the server's side makes a field optional, and a cancel may have no body.
  void client.products.create({ name: 'Tea', barcode: '1' }, { idempotencyKey: 'k', timeoutMs: 1, maxRetries: 0, headers: {} })
  void client.orders.cancel('SO-1')
  void client.orders.list({ state_id: 1 })
  void client.orders.cancel(1, { reason: 'Out of stock' }, { signal: AbortSignal.timeout(1) })
}

export async function bodiesOfOrders(): Promise<void> {
  const order = { order_tenant_id: 'SO-1', assembly_date: '2026-01-31', order_detail: [{ barcode: '1', quantity: 1 }] }
  await client.orders.create(order)
  await client.orders.create([order])
  await client.orders.create({ orders: [order] })
  // @ts-expect-error quantity is a number
  await client.orders.create({ ...order, order_detail: [{ barcode: '1', quantity: '1' }] })
}

export async function pages(): Promise<void> {
  for await (const order of client.orders.list({ state_id: [1, 2] })) expectTypeOf(order).toEqualTypeOf<OrderSummary>()
  for await (const page of client.orders.list().pages()) expectTypeOf(page.pagination.total_pages).toBeNumber()
  for await (const event of client.events.list()) expectTypeOf(event.event).toEqualTypeOf<WebhookTopic>()
}

export function errors(error: unknown): string {
  if (!(error instanceof APIError)) throw error
  expectTypeOf(error.code).toEqualTypeOf<ErrorCode>()
  expectTypeOf<ErrorCode>().toEqualTypeOf<ServedErrorCode | 'unexpected_response'>()
  for (const detail of error.details ?? []) {
    expectTypeOf(detail.error).toBeString()
    if ('index' in detail) expectTypeOf(detail.index).toBeNumber()
  }
  return error.code
}

export async function events(body: Uint8Array): Promise<void> {
  const event = await verifyWebhook(body, null, 'whsec_x')
  expectTypeOf(verifyWebhookSync(body, undefined, ['whsec_x'])).toEqualTypeOf<WebhookEvent>()
  if (event.event === 'order/created') {
    expectTypeOf(event).toEqualTypeOf<OrderCreatedEvent>()
    expectTypeOf(event.data.source).toEqualTypeOf<'api' | 'integration' | 'manual'>()
  }
  // @ts-expect-error it is not yet known which event this is
  void event.data.order_tenant_id
  expectTypeOf<WebhookTopic>().toEqualTypeOf<
    | 'order/created'
    | 'order/updated'
    | 'order/cancelled'
    | 'order/completed'
    | 'product/created'
    | 'product/updated'
    | 'product/deleted'
    | 'stock/updated'
    | 'stock/low_alert'
    | 'stock/movement_created'
    | 'flow/started'
    | 'flow/completed'
    | 'flow/cancelled'
    | 'reservation/updated'
    | 'inbound/updated'
    | 'return/updated'
    | 'count/updated'
    | 'shipment/updated'
  >()
}

/** A switch over all topics is exhaustive, so a new topic is reported wherever it must be handled. */
export function exhaustive(event: WebhookEvent): string {
  switch (event.event) {
    case 'order/created':
    case 'order/updated':
    case 'order/cancelled':
    case 'order/completed':
    case 'reservation/updated':
      return event.data.order_tenant_id
    case 'product/created':
    case 'product/updated':
    case 'product/deleted':
    case 'stock/updated':
    case 'stock/low_alert':
      return event.data.barcode
    case 'stock/movement_created':
      return event.data.movement_id
    case 'flow/started':
    case 'flow/completed':
    case 'flow/cancelled':
      return event.data.operator_email
    case 'inbound/updated':
    case 'return/updated':
    case 'count/updated':
    case 'shipment/updated':
      return event.data.state
    default:
      return event satisfies never
  }
}

export function samples(): void {
  expectTypeOf(testEvent('order/created')).toEqualTypeOf<WebhookEventOf<'order/created'>>()
  testEvent('stock/updated', { quantity: 5 })
  // @ts-expect-error there is no such topic
  testEvent('order/lost')
  // @ts-expect-error a field of another topic
  testEvent('order/created', { quantity: 5 })
}

export function receivers(app: FastifyInstance): void {
  expectTypeOf(nodeReceiver(options)).toExtend<(...args: Parameters<RequestListener>) => void>()
  expectTypeOf(expressReceiver(options)).toExtend<RequestHandler>()
  expectTypeOf(fetchReceiver(options)).toEqualTypeOf<(request: Request) => Promise<Response>>()
  void app.register(fastifyReceiver({ path: '/webhooks', ...options }))
}

export function handlers(queue: { add(event: WebhookEvent): Promise<{ id: string }> }, seen: string[]): void {
  // A handler can end with the call of a queue or a database, whatever that returns.
  void fetchReceiver({ secret: '', onEvent: (event) => queue.add(event) })
  void nodeReceiver({ secret: '', onEvent: async (event) => queue.add(event) })
  void expressReceiver({ secret: '', onEvent: (event) => seen.push(event.id) })
}
