import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { describe, expect, it as base } from 'vitest'
import { buildHttpServer } from '@fulfillment/server/http/http-server.ts'
import { limitMemory } from '@fulfillment/server/http/limits/memory-limits.ts'
import type { Caller } from '@fulfillment/server/procedures/context.ts'
import { activeTenants } from '@fulfillment/server/runtime/event-loop/active-tenants.ts'
import { createLog } from '@fulfillment/server/runtime/log.ts'

const TIMEOUT_MS = 200
/** Where a client reads all the time: far longer than a busy machine keeps it from that. */
const LONG_TIMEOUT_MS = 2_000
/** More than the buffers of two sockets hold. */
const LARGE = 'x'.repeat(1_048_576)
const LARGE_PIECES = 40

/** Opens the response to a path of a server whose clients may read nothing for 200 ms. */
const it = base.extend('open', async ({}, { onCleanup }) => {
  const app = Fastify()
  limitMemory(app, 1_048_576)
  const config = { readTimeoutMs: TIMEOUT_MS }
  app.get('/slow', { config }, () =>
    Readable.from(
      (async function* () {
        for (const piece of ['first', 'second', 'third']) {
          yield piece
          await sleep(TIMEOUT_MS * 2)
        }
      })(),
    ),
  )
  const large = (): Readable => Readable.from(Array.from({ length: LARGE_PIECES }, () => LARGE))
  app.get('/large', { config }, large)
  app.get('/large-for-long', { config: { readTimeoutMs: LONG_TIMEOUT_MS } }, large)
  await app.listen({ host: '127.0.0.1', port: 0 })
  onCleanup(() => app.close())
  const { port } = app.server.address() as AddressInfo
  return (path: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, agent: false }, resolve).on('error', reject).end()
    })
})

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of response) text += String(piece)
  return text
}

it('a response whose next piece takes longer than clients may read nothing is sent whole', async ({ open }) => {
  expect(await textOf(await open('/slow'))).toBe('firstsecondthird')
})

it('a client that reads nothing of what is there for so long is disconnected', async ({ open }) => {
  const response = await open('/large')
  await sleep(TIMEOUT_MS * 4)
  await expect(textOf(response)).rejects.toThrow('aborted')
})

it('a client that reads slowly gets all', async ({ open }) => {
  const response = await open('/large-for-long')
  const startedAt = performance.now()
  let length = 0
  for await (const piece of response) {
    length += String(piece).length
    await sleep(5)
  }
  expect(performance.now() - startedAt).toBeGreaterThan(LONG_TIMEOUT_MS)
  expect(length).toBe(LARGE.length * LARGE_PIECES)
})

describe('a body sent in chunks', () => {
  const BODY_LIMIT = 8 * 1_048_576
  const SMALL = 200
  /** More than is small. */
  const LARGER = 20_000

  /** A server on which two tenants are active, so that each has memory for one of the largest bodies. */
  const itReceives = base.extend('server', async ({}, { onCleanup }) => {
    const app = buildHttpServer(createLog('silent'), { bodyLimit: BODY_LIMIT })
    app.addHook('onRequest', (incoming, _reply, done) => {
      incoming.caller = { tenantId: 1 } as Caller
      activeTenants.see(1)
      activeTenants.see(2)
      // As long as a key is looked up: a body can arrive meanwhile.
      setTimeout(done, 50)
    })
    const { held } = limitMemory(app, BODY_LIMIT)
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    app.post('/', () => ({}))
    app.post('/later', async () => {
      await answered
      return {}
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    onCleanup(() => {
      app.server.closeAllConnections()
      return app.close()
    })
    const { port } = app.server.address() as AddressInfo
    /** Begins a body of this length. `finish` sends its end and returns the status. */
    const begin = (length: number, path = '/') => {
      const headers = { 'content-type': 'application/json' }
      const sent = request({ host: '127.0.0.1', port, path, method: 'POST', agent: false, headers })
      // Afterwards it may fail: the server closes the connection of a body that it refused.
      const responded = once(
        sent.on('error', () => {}),
        'response',
      )
      responded.catch(() => {})
      sent.write(`"${'x'.repeat(length - 2)}`)
      const finish = async (): Promise<number | undefined> => {
        sent.end('"')
        const [response] = (await responded) as [IncomingMessage]
        response.resume()
        return response.statusCode
      }
      return { finish }
    }
    /** Sends a body of this length as one chunk, in one piece with its end, and returns the response. */
    const sendAtOnce = async (length: number, path: string): Promise<string> => {
      const socket = connect(port, '127.0.0.1').setEncoding('utf8')
      const head = `POST ${path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked`
      socket.write(`${head}\r\n\r\n${length.toString(16)}\r\n"${'x'.repeat(length - 2)}"\r\n0\r\n\r\n`)
      return (await socket.toArray()).join('')
    }
    return { begin, sendAtOnce, answer, held: held.bodies }
  })

  itReceives('needs no memory while it is small; a larger one waits for as much as it may have', async ({ server }) => {
    const { begin, held } = server
    const first = begin(LARGER)
    await expect.poll(held).toBe(BODY_LIMIT)
    let isAnswered = false
    const second = begin(LARGER)
      .finish()
      .finally(() => (isAnswered = true))
    expect(await begin(SMALL).finish()).toBe(200)
    expect([isAnswered, held()]).toEqual([false, BODY_LIMIT])
    expect(await Promise.all([first.finish(), second])).toEqual([200, 200])
    await expect.poll(held).toBe(0)
  })

  itReceives('keeps only its size when it has arrived', async ({ server: { begin, answer, held } }) => {
    const status = begin(LARGER, '/later').finish()
    await expect.poll(held).toBe(LARGER)
    answer()
    expect(await status).toBe(200)
    await expect.poll(held).toBe(0)
  })

  itReceives('keeps only its size also when it has arrived before it is read, and then does not wait', async ({ server }) => {
    const { sendAtOnce, answer, held } = server
    const responses = [sendAtOnce(LARGER, '/later'), sendAtOnce(LARGER, '/later')]
    await expect.poll(held).toBe(2 * LARGER)
    answer()
    for (const response of await Promise.all(responses)) expect(response).toMatch(/^HTTP\/1.1 200 /)
    await expect.poll(held).toBe(0)
  })

  itReceives('is refused when a hundred wait; those get their turn', async ({ server: { begin, held } }) => {
    const first = begin(LARGER)
    await expect.poll(held).toBe(BODY_LIMIT)
    const others = Array.from({ length: 101 }, () => begin(LARGER).finish())
    expect(await Promise.race(others)).toBe(503)
    expect(await first.finish()).toBe(200)
    expect(await Promise.all(others)).toContain(200)
    await expect.poll(held).toBe(0)
  })
})
