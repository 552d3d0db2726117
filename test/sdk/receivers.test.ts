import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request as startRequest, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { fetchReceiver, type ReceiverOptions, type WebhookEvent } from '@fulfillment/sdk/webhooks'
import { expressReceiver, fastifyReceiver, nodeReceiver } from '@fulfillment/sdk/webhooks/node'
import { unhandledRejections } from './client.ts'

const SECRET = 'whsec_cmVjZWl2ZXI='
// Spacing that JSON.stringify does not reproduce: a signature over the parsed and re-serialised body fails.
const BODY = '{"id": "evt_1", "event": "order/created", "created_at": "2026-01-31T12:00:00.000Z", "data": {"order_id": 7}}'

const ignore = () => undefined

function signed(body: string, secret = SECRET): string {
  const t = Math.floor(Date.now() / 1_000)
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`
}

/** Sends a webhook request to an endpoint. */
type Send = (body: string, headers: Record<string, string>) => Promise<Response>

/** An HTTP server for the length of the test. */
async function listen(listener: RequestListener): Promise<Send> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return sendTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

function sendTo(baseUrl: string): Send {
  return (body, headers) =>
    fetch(`${baseUrl}/webhooks`, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } })
}

const endpoints: [name: string, start: (options: ReceiverOptions) => Promise<Send>][] = [
  [
    'fetch',
    async (options) => (body, headers) =>
      fetchReceiver(options)(new Request('https://example.com', { method: 'POST', body, headers })),
  ],
  ['node:http', async (options) => listen((request, response) => void nodeReceiver(options)(request, response))],
  ['Express', async (options) => listen(express().post('/webhooks', expressReceiver(options)).use(express.json()))],
  [
    'Express behind express.raw()',
    async (options) =>
      listen(
        express()
          .use(express.raw({ type: '*/*' }))
          .post('/webhooks', expressReceiver(options)),
      ),
  ],
  [
    'Cloud Functions',
    async (options) =>
      listen(
        express()
          .use(express.json({ verify: keepRawBody }))
          .post('/webhooks', expressReceiver(options)),
      ),
  ],
  [
    'Fastify',
    async (options) => {
      const app = fastify()
      await app.register(fastifyReceiver({ path: '/webhooks', ...options }))
      onTestFinished(() => app.close())
      return sendTo(await app.listen({ port: 0 }))
    },
  ],
]

function keepRawBody(request: object, _response: unknown, body: Buffer): void {
  Object.assign(request, { rawBody: body })
}

describe.each(endpoints)('the receiver for %s', (_, start) => {
  test('hands a verified event on and acknowledges it', async () => {
    const events: WebhookEvent[] = []
    const send = await start({ secret: SECRET, onEvent: async (event) => void events.push(event) })
    const response = await send(BODY, { 'X-Webhook-Signature': signed(BODY) })
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(events).toEqual([JSON.parse(BODY)])
  })

  test('refuses a forged request, and says why to both sides', async () => {
    const events: unknown[] = []
    const errors: unknown[] = []
    const send = await start({
      secret: SECRET,
      onEvent: (event) => void events.push(event),
      onError: (error) => errors.push(error),
    })
    const response = await send(BODY, { 'X-Webhook-Signature': signed(BODY, 'whsec_forged') })
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(/^signature_mismatch: /)])
    expect(errors).toEqual([expect.objectContaining({ reason: 'signature_mismatch' })])
    expect(events).toEqual([])
  })

  test('responds with 500 without a detail when the event cannot be handled', async () => {
    const failure = new Error('The password of the database is hunter2')
    const errors: unknown[] = []
    const send = await start({ secret: SECRET, onEvent: () => Promise.reject(failure), onError: (error) => errors.push(error) })
    const response = await send(BODY, { 'X-Webhook-Signature': signed(BODY) })
    expect([response.status, await response.text()]).toEqual([500, 'The receiver failed'])
    expect(errors).toEqual([failure])
  })

  test('responds with 500 when its own secret is unusable', async () => {
    const send = await start({ secret: '', onEvent: ignore, onError: ignore })
    expect((await send(BODY, { 'X-Webhook-Signature': signed(BODY) })).status).toBe(500)
  })
})

test('a receiver takes a tolerance of its own', async () => {
  const receive = fetchReceiver({ secret: SECRET, toleranceSeconds: -1, onEvent: ignore, onError: ignore })
  const response = await receive(
    new Request('https://example.com', { method: 'POST', body: BODY, headers: { 'X-Webhook-Signature': signed(BODY) } }),
  )
  expect(await response.text()).toMatch(/^timestamp_too_old: /)
})

test('a receiver responds even when its onError fails', async () => {
  const unhandled = unhandledRejections()
  const log = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => log.mockRestore())
  const bug = new Error('A bug in the logger')
  const failing = [
    () => {
      throw bug
    },
    () => Promise.reject(bug),
  ]
  for (const onError of failing) {
    const send = await listen(
      (request, response) => void nodeReceiver({ secret: SECRET, onEvent: ignore, onError })(request, response),
    )
    expect((await send(BODY, {})).status).toBe(400)
  }
  expect(log.mock.calls).toEqual([[bug], [bug]])
  expect(unhandled).toEqual([])
})

test('the fetch receiver does not read without end', async () => {
  const errors: unknown[] = []
  const receive = fetchReceiver({ secret: SECRET, onEvent: ignore, onError: (error) => errors.push(error) })
  let [pulled, cancelled] = [0, false]
  const body = new ReadableStream({
    pull(controller) {
      pulled++
      controller.enqueue(new Uint8Array(65_536))
    },
    cancel: () => void (cancelled = true),
  })
  const request = new Request('https://example.com', { method: 'POST', body, duplex: 'half' })
  expect((await receive(request)).status).toBe(500)
  expect(errors).toEqual([new Error('A body of more than 1048576 bytes')])
  expect(cancelled).toBe(true)
  expect(pulled).toBeLessThan(25)
})

test('a receiver writes to console.error unless told otherwise', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => logged.mockRestore())
  await fetchReceiver({ secret: SECRET, onEvent: ignore })(new Request('https://example.com', { method: 'POST', body: BODY }))
  expect(logged).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ reason: 'missing_header' }))
})

test('the Express receiver behind express.json() says that the body is not raw', async () => {
  const send = await listen(
    express()
      .use(express.json())
      .post('/webhooks', expressReceiver({ secret: SECRET, onEvent: ignore, onError: ignore })),
  )
  const response = await send(BODY, { 'X-Webhook-Signature': signed(BODY) })
  expect(await response.text()).toMatch(/^body_not_raw: /)
})

test.each<[string, (request: Request) => unknown]>([
  ['read', (request) => request.json()],
  ['given to another reader', (request) => request.body?.getReader()],
])('the fetch receiver says that a body that was %s is not raw', async (_, use) => {
  const request = new Request('https://example.com', {
    method: 'POST',
    body: BODY,
    headers: { 'X-Webhook-Signature': signed(BODY) },
  })
  await use(request)
  const response = await fetchReceiver({ secret: SECRET, onEvent: ignore, onError: ignore })(request)
  expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(/^body_not_raw: /)])
})

test('the Fastify receiver leaves the parsers of other routes alone', async () => {
  const app = fastify()
  await app.register(fastifyReceiver({ path: '/webhooks', secret: SECRET, onEvent: ignore }))
  app.post('/other', (request, reply) => reply.send({ parsed: request.body }))
  const response = await app.inject({ method: 'POST', url: '/other', payload: { a: 1 } })
  expect(response.json()).toEqual({ parsed: { a: 1 } })
})

test('the node:http receiver does not read without end', async () => {
  const errors: unknown[] = []
  const receive = nodeReceiver({ secret: SECRET, onEvent: ignore, onError: (error) => errors.push(error) })
  const send = await listen((request, response) => void receive(request, response))
  await send('x'.repeat(2_000_000), { 'X-Webhook-Signature': signed(BODY) }).catch(() => undefined)
  expect(errors).toEqual([expect.objectContaining({ message: 'A body of more than 1048576 bytes' })])
})

test('the node:http receiver leaves a response alone that was sent meanwhile, as by a time limit', async () => {
  const { promise: received, resolve } = Promise.withResolvers<void>()
  const send = await listen((request, response) => {
    const onEvent = () => response.writeHead(503).end('Too late')
    resolve(nodeReceiver({ secret: SECRET, onEvent })(request, response))
  })
  const response = await send(BODY, { 'X-Webhook-Signature': signed(BODY) })
  expect([response.status, await response.text()]).toEqual([503, 'Too late'])
  await received
})

test('the node:http receiver ends a connection whose body it did not read: another request on it would be lost', async () => {
  const send = nodeReceiver({ secret: SECRET, onEvent: ignore, onError: ignore })
  const server = createServer((incoming, response) => void send(incoming, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  for (const [size, connection] of [
    [2_000_000, 'close'],
    [1_000, 'keep-alive'],
  ] as const) {
    const sending = startRequest({ port, host: '127.0.0.1', method: 'POST', headers: { 'Content-Length': size } })
    onTestFinished(() => void sending.on('error', ignore).destroy())
    // Of the larger body, the rest never comes.
    sending.write('x'.repeat(Math.min(size, 1_100_000)))
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    expect([size, response.headers.connection]).toEqual([size, connection])
  }
})
