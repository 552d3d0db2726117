import { createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { it as base } from './support/it.ts'
import { deliveryWhen, subscribe, writeEvents } from './support/deliveries.ts'
import { respondWith, closedPort, listen, type Behaviour } from '../support/receiver.ts'
import { atMost } from '../support/patience.ts'

const TIME_LIMIT_MS = 700
const NO_RESPONSE = 'The connection ended without a complete response'
const NOT_HTTP = 'The response is not valid HTTP'

/** Starts a server that calls `respond` for every connection that sends data. */
async function rawServer(respond: (socket: Socket) => void): Promise<{ url: string; sockets: Socket[]; close: () => void }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.once('data', () => respond(socket))
  })
  const url = await listen(server)
  const close = (): void => {
    sockets.forEach((socket) => socket.destroy())
    server.close()
  }
  return { url, sockets, close }
}

/** Fixtures that send one event and return its delivery: to a URL, to a receiver with a given behaviour, or to a raw server. */
const it = base
  .extend('worker', async ({ startWorker }) => startWorker({ sending: { timeLimitMs: TIME_LIMIT_MS } }))
  .extend('deliverTo', async ({ service, tenant, worker }) => async (url: string) => {
    const { id } = await subscribe(tenant, url)
    await writeEvents(service, tenant, 1)
    worker.wake()
    const delivery = await deliveryWhen(tenant, id, ({ attempt_count }) => attempt_count === 1)
    await tenant.request('DELETE', `/webhooks/${id}`)
    return delivery
  })
  .extend('deliverToReceiver', async ({ deliverTo, startReceiver }) => async (behaviour: Behaviour) => {
    return await deliverTo((await startReceiver(behaviour)).url)
  })
  .extend('deliverToRaw', async ({ deliverTo }) => async (respond: (socket: Socket) => void) => {
    const server = await rawServer(respond)
    const delivery = await deliverTo(server.url)
    server.close()
    return delivery
  })

const drip = (status: number): Behaviour => {
  return async (_request, response) => {
    response.writeHead(status)
    while (!response.destroyed) {
      response.write('.')
      await delay(50)
    }
  }
}

describe('a response acknowledges the event', () => {
  it.for([200, 201, 202, 204, 299])('with status %i', async (status, { deliverToReceiver }) => {
    expect(await deliverToReceiver(respondWith(status))).toMatchObject({
      state: 'succeeded',
      last_status: status,
      last_error: null,
      next_attempt_at: null,
    })
  })

  it('if it arrives late, within the time limit', async ({ deliverToReceiver }) => {
    const late: Behaviour = async (_request, response) => {
      await delay(TIME_LIMIT_MS / 2)
      response.end('late')
    }
    const { state, attempts } = await deliverToReceiver(late)
    expect(state).toBe('succeeded')
    expect(attempts[0].duration_ms).toBeGreaterThanOrEqual(TIME_LIMIT_MS / 2 - 5)
  })

  it('if its body never ends: only a part of it is read', async ({ deliverToReceiver }) => {
    let sent = 0
    const endless: Behaviour = (_request, response) => {
      const chunk = Buffer.alloc(4_096, 'x')
      const fill = (): void => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length
      }
      response.on('drain', fill)
      fill()
    }
    const delivery = await deliverToReceiver(endless)
    expect(delivery).toMatchObject({ state: 'succeeded', last_status: 200 })
    expect(delivery.attempts[0].response_body).toBe('x'.repeat(1_024))
    const sentByThen = sent
    await delay(100)
    expect(sent).toBe(sentByThen)
  })
})

describe('a failed attempt', () => {
  it.for([301, 302, 307, 308])(
    'is a redirect with status %i, which is not followed',
    async (status, { startReceiver, deliverToReceiver }) => {
      const elsewhere = await startReceiver()
      expect(await deliverToReceiver(respondWith(status, { location: elsewhere.url }))).toMatchObject({
        state: 'pending',
        last_status: status,
      })
      expect(elsewhere.received).toEqual([])
    },
  )

  it.for([400, 401, 404, 418, 500, 502, 599])('is a response with status %i', async (status, { deliverToReceiver }) => {
    const delivery = await deliverToReceiver(respondWith(status, {}, 'no'))
    expect(delivery).toMatchObject({
      state: 'pending',
      last_status: status,
      last_error: expect.stringContaining(String(status)),
    })
    expect(delivery.attempts[0]).toMatchObject({ number: 1, trigger: 'schedule', response_body: 'no' })
  })

  it.for<[string, Behaviour, number | null, string]>([
    ['no response in time', () => {}, null, 'No complete response within 0.7 s'],
    ['a body that is not complete in time', drip(200), 200, 'No complete response within 0.7 s'],
    [
      'a connection that is reset',
      (_request, _response, incoming) => void incoming.socket.resetAndDestroy(),
      null,
      `${NO_RESPONSE} (ECONNRESET)`,
    ],
    [
      'a connection that ends without a response',
      (_request, _response, incoming) => void incoming.socket.end(),
      null,
      `${NO_RESPONSE} (UND_ERR_SOCKET)`,
    ],
    [
      'a body that breaks off',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('half')
        setTimeout(() => response.destroy(), 20)
      },
      200,
      `${NO_RESPONSE} (UND_ERR_SOCKET)`,
    ],
  ])('is %s', async ([, behaviour, status, last_error], { deliverToReceiver }) => {
    const delivery = await deliverToReceiver(behaviour)
    expect(delivery).toMatchObject({ state: 'pending', last_status: status, last_error })
    expect(delivery.attempts[0].duration_ms).toBeLessThan(TIME_LIMIT_MS + atMost(500))
  })

  it.for<[string, response: string, error: string, status?: number]>([
    ['not HTTP', 'what do you want?\r\n\r\n', `${NOT_HTTP} (HTTPParserError)`],
    ['of the status 099', 'HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n', `${NOT_HTTP} (ERR_ASSERTION)`, 99],
    ['of the status 1', 'HTTP/1.1 1 Odd\r\ncontent-length: 0\r\n\r\n', `${NOT_HTTP} (HTTPParserError)`],
    [
      'headers without end',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`,
      'The headers of the response are too long (UND_ERR_HEADERS_OVERFLOW)',
    ],
    ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n', `${NOT_HTTP} (HTTPParserError)`],
    ['an informational response only', 'HTTP/1.1 100 Continue\r\n\r\n', `${NO_RESPONSE} (UND_ERR_SOCKET)`],
    [
      'switching protocols',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      `${NO_RESPONSE} (UND_ERR_SOCKET)`,
    ],
  ])('is what is %s', async ([, response, last_error, status = null], { deliverToRaw }) => {
    expect(await deliverToRaw((socket) => void socket.end(response))).toMatchObject({
      state: 'pending',
      last_status: status,
      last_error,
    })
  })

  it('is a refused connection, and a name that does not exist', async ({ deliverTo }) => {
    const url = await closedPort()
    expect(await deliverTo(url)).toMatchObject({
      state: 'pending',
      last_status: null,
      last_error: `The connection was refused (ECONNREFUSED ${new URL(url).host})`,
    })
    expect(await deliverTo('http://receiver.invalid/')).toMatchObject({
      state: 'pending',
      last_status: null,
      last_error: expect.stringMatching(
        /^The host name receiver\.invalid could not be looked up \(E[A-Z]+\)$|^No complete response/,
      ),
    })
  })

  it('is https to a receiver without TLS', async ({ receiver, deliverTo }) => {
    expect(await deliverTo(receiver.url.replace('http:', 'https:'))).toMatchObject({
      state: 'pending',
      last_status: null,
      last_error: expect.stringMatching(/^The TLS connection failed \([A-Z_]+\)$/),
    })
  })
})

describe('the log of attempts', () => {
  it.for<[string, Buffer, string]>([
    ['text that ends within a character', Buffer.from('é'.repeat(513)), 'é'.repeat(512)],
    ['a cut character', Buffer.from(`x${'é'.repeat(513)}`), `x${'é'.repeat(511)}`],
    ['U+0000', Buffer.from('a\u0000b'), 'a\uFFFDb'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x41]), '\uFFFD\uFFFDA'],
    ['nothing', Buffer.alloc(0), ''],
  ])('keeps the first 1 KiB of a response that is %s', async ([, body, kept], { deliverToReceiver }) => {
    const { attempts } = await deliverToReceiver((_request, response) => void response.end(body))
    expect(attempts[0].response_body).toBe(kept)
  })
})
