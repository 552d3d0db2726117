import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ConnectionError, FulfillmentError, ResponseTooLargeError } from '@fulfillment/sdk'
import { clientFor, rejection, skipWaits } from './client.ts'
import { scriptedServer, success } from './scripted-server.ts'

const MEBIBYTE = 1_048_576

/** Sends a response that never ends, and counts the bytes that the connection took. */
function endless(headers: Record<string, string> = {}) {
  const state = { sent: 0, closed: false }
  const step = (response: ServerResponse) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'X-Request-Id': 'req-3', ...headers })
    const chunk = Buffer.alloc(MEBIBYTE, ' ')
    const send = () => {
      while (!response.destroyed && response.write(chunk)) state.sent += chunk.length
      state.sent += chunk.length
    }
    response.on('drain', send).on('close', () => (state.closed = true))
    send()
  }
  return { state, step }
}

describe('a response larger than maxResponseBytes', () => {
  test('is not read to the end: its connection is closed, and the call is not retried', async () => {
    const { state, step } = endless()
    const { baseUrl, requests } = await scriptedServer(step)
    const error = await rejection(clientFor(baseUrl, { maxResponseBytes: 4 * MEBIBYTE }).orders.get(1))
    expect(error).toBeInstanceOf(ResponseTooLargeError)
    expect(error).toBeInstanceOf(FulfillmentError)
    expect(error).not.toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ status: 200, requestId: 'req-3', maxResponseBytes: 4 * MEBIBYTE })
    expect((error as Error).message).toMatch(/^The response is larger than maxResponseBytes, 4194304 \(request req-3\): /)
    await expect.poll(() => state.closed).toBe(true)
    expect(state.sent).toBeLessThan(64 * MEBIBYTE)
    expect(requests).toHaveLength(1)
  })

  test('is not read at all if its Content-Length is too large', async () => {
    const { state, step } = endless({ 'Content-Length': String(200 * MEBIBYTE) })
    const { baseUrl } = await scriptedServer(step)
    expect(await rejection(clientFor(baseUrl).orders.get(1))).toBeInstanceOf(ResponseTooLargeError)
    await expect.poll(() => state.closed).toBe(true)
    expect(state.sent).toBeLessThan(64 * MEBIBYTE)
  })

  test('is counted after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * MEBIBYTE, ' '))
    const { baseUrl } = await scriptedServer((response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb))
    const call = clientFor(baseUrl).orders.get(1, { maxResponseBytes: MEBIBYTE })
    expect(await rejection(call)).toBeInstanceOf(ResponseTooLargeError)
  })

  test('is rejected after reading if there is no stream, as in React Native', async () => {
    const fetch = async () =>
      ({ status: 200, ok: true, headers: new Headers(), text: async () => ' '.repeat(2_000) }) as unknown as Response
    const { orders } = clientFor('https://example.com', { fetch, maxResponseBytes: 1_000 })
    expect(await rejection(orders.get(1))).toBeInstanceOf(ResponseTooLargeError)
  })
})

test('a response of exactly maxResponseBytes is read, even if characters are split across chunks', async () => {
  const body = Buffer.from(JSON.stringify(success({ name: 'Tee ☕ '.repeat(50_000) })))
  const half = body.indexOf('☕') + 1
  const { baseUrl } = await scriptedServer((response) => {
    response.writeHead(200).write(body.subarray(0, half))
    setTimeout(() => response.end(body.subarray(half)), 20)
  })
  const { orders } = clientFor(baseUrl)
  expect(await orders.get(1, { maxResponseBytes: body.length })).toEqual({ name: 'Tee ☕ '.repeat(50_000) })
  expect(await rejection(orders.get(1, { maxResponseBytes: body.length - 1 }))).toBeInstanceOf(ResponseTooLargeError)
})

test('the default accepts a page of tens of megabytes', async () => {
  const order_detail = Array.from({ length: 1_000 }, (_, id) => ({ id, product_name: 'Green tea '.repeat(50) }))
  const orders = Array.from({ length: 100 }, (_, id) => ({ id, order_detail }))
  const body = JSON.stringify(success({ orders, pagination: { page: 1, limit: 100, total: 100, total_pages: 1 } }))
  expect(body.length).toBeGreaterThan(45 * MEBIBYTE)
  const { baseUrl } = await scriptedServer({ body })
  const page = await clientFor(baseUrl).orders.list({ include_details: true })
  expect(page.orders[99]!.order_detail).toHaveLength(1_000)
})

test('an abort during a body closes its connection', async () => {
  const { state, step } = endless()
  const { baseUrl } = await scriptedServer(step)
  const error = await rejection(
    clientFor(baseUrl, {
      timeoutMs: 50,
      maxRetries: 1,
      maxResponseBytes: Number.POSITIVE_INFINITY,
      hooks: skipWaits(),
    }).orders.get(1, {
      signal: AbortSignal.timeout(300),
    }),
  )
  expect(error).toBeInstanceOf(Error)
  await expect.poll(() => state.closed).toBe(true)
})

test.each([0, -1, Number.NaN])('a limit of %d is rejected', async (maxResponseBytes) => {
  const { baseUrl, requests } = await scriptedServer()
  expect(await rejection(clientFor(baseUrl, { maxResponseBytes }).orders.get(1))).toBeInstanceOf(FulfillmentError)
  expect(requests).toHaveLength(0)
})
