import { expect, onTestFinished, test, vi } from 'vitest'
import { verifyWebhook } from '@fulfillment/sdk/webhooks'
import { signWebhook, testEvent } from '@fulfillment/sdk/webhooks/testing'
import { clientFor, rejection } from './client.ts'
import { scriptedServer, success } from './scripted-server.ts'

/** Removes globals that are missing in runtimes named in the README: jsdom, older browsers, and pages without https. */
function inOlderRuntime(): void {
  const { subtle } = crypto
  const getRandomValues = crypto.getRandomValues.bind(crypto)
  vi.stubGlobal('crypto', { getRandomValues, subtle })
  vi.stubGlobal('structuredClone', undefined)
  const statics = [
    [URL, 'canParse'],
    [AbortSignal, 'any'],
    [AbortSignal, 'timeout'],
    [AbortSignal.prototype, 'throwIfAborted'],
    [Array.prototype, 'toSorted'],
  ] as const
  for (const [owner, name] of statics) {
    const own = Object.getOwnPropertyDescriptor(owner, name)!
    Object.defineProperty(owner, name, { value: undefined, configurable: true, writable: true })
    onTestFinished(() => void Object.defineProperty(owner, name, own))
  }
  onTestFinished(() => void vi.unstubAllGlobals())
}

test('the client and testEvent work without globals that older runtimes lack', async () => {
  const page = { orders: [{ id: 1 }], pagination: { page: 1, limit: 1, total: 1, total_pages: 1 } }
  const { baseUrl } = await scriptedServer(
    { body: success({ id: 1 }) },
    { body: success(page) },
    (response) => response.destroy(),
    { body: success({ id: 2 }) },
  )
  inOlderRuntime()
  const client = clientFor(baseUrl)
  expect(await client.orders.create([])).toEqual({ id: 1 })
  for await (const order of client.orders.list()) expect(order.id).toBe(1)
  expect(await client.orders.get(2)).toEqual({ id: 2 })
  const controller = new AbortController()
  controller.abort(new Error('The user left'))
  expect(await rejection(client.orders.get(3, { signal: controller.signal }))).toHaveProperty('message', 'The user left')

  const event = testEvent('order/created')
  expect(event.id).toMatch(/^evt_test_[0-9a-f]{32}$/)
  const body = JSON.stringify(event)
  expect(await verifyWebhook(body, await signWebhook(body, 'whsec_eA=='), 'whsec_eA==')).toEqual(event)
})

test('without crypto.subtle, as on a page without https, the error names the solution', async () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(await rejection(signWebhook('{}', 'whsec_eA=='))).toHaveProperty(
    'message',
    'WebCrypto (crypto.subtle) is missing here: use verifyWebhookSync, or https',
  )
})

test('an undefined field does not change the sample', () => {
  const sample = testEvent('order/created')
  expect(testEvent('order/created', { order_tenant_id: undefined }).data).toEqual(sample.data)
})
