import { createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestService, TestTenant } from '../support/service.ts'
import { deliveryWhen, startApi, startWorker, subscribe, writeEvents, type Worker } from './support/deliveries.ts'
import { answerWith, closedPort, listen, startReceiver, type Behaviour } from './support/receiver.ts'
import { atMost } from '../support/patience.ts'

const TIME_LIMIT_MS = 700

let service: TestService
let worker: Worker
let tenant: TestTenant
beforeAll(async () => {
  service = await startApi()
  worker = startWorker(service, { sending: { timeLimitMs: TIME_LIMIT_MS } })
  tenant = await service.newTenant()
})
afterAll(async () => {
  await worker.stop()
  await service.stop()
})

/** What became of one event sent to this address. */
async function deliverTo(url: string) {
  const { id } = await subscribe(tenant, url)
  await writeEvents(service, tenant, 1)
  worker.wake()
  const delivery = await deliveryWhen(tenant, id, ({ attempt_count }) => attempt_count === 1)
  await tenant.request('DELETE', `/webhooks/${id}`)
  return delivery
}

async function deliverToReceiver(behaviour: Behaviour) {
  const receiver = await startReceiver(behaviour)
  const delivery = await deliverTo(receiver.url)
  await receiver.close()
  return delivery
}

/** A server that does this with every connection on which something arrives. */
async function rawServer(answer: (socket: Socket) => void): Promise<{ url: string; sockets: Socket[]; close: () => void }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.once('data', () => answer(socket))
  })
  const url = await listen(server)
  const close = (): void => {
    sockets.forEach((socket) => socket.destroy())
    server.close()
  }
  return { url, sockets, close }
}

async function deliverToRaw(answer: (socket: Socket) => void) {
  const server = await rawServer(answer)
  const delivery = await deliverTo(server.url)
  server.close()
  return delivery
}

const drip = (status: number): Behaviour => {
  return async (_request, response) => {
    response.writeHead(status)
    while (!response.destroyed) {
      response.write('.')
      await delay(50)
    }
  }
}

describe('an answer acknowledges the event', () => {
  it.each([200, 201, 202, 204, 299])('with status %i', async (status) => {
    expect(await deliverToReceiver(answerWith(status))).toMatchObject({
      state: 'succeeded',
      last_status: status,
      last_error: null,
      next_attempt_at: null,
    })
  })

  it('when it comes late, but in time', async () => {
    const late: Behaviour = async (_request, response) => {
      await delay(TIME_LIMIT_MS / 2)
      response.end('late')
    }
    const { state, attempts } = await deliverToReceiver(late)
    expect(state).toBe('succeeded')
    expect(attempts[0].duration_ms).toBeGreaterThanOrEqual(TIME_LIMIT_MS / 2 - 5)
  })

  it('when its body never ends: no more than a part of it is read', async () => {
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
  it.each([301, 302, 307, 308])('is a redirect with status %i, which is not followed', async (status) => {
    const elsewhere = await startReceiver()
    expect(await deliverToReceiver(answerWith(status, { location: elsewhere.url }))).toMatchObject({
      state: 'pending',
      last_status: status,
    })
    expect(elsewhere.received).toEqual([])
    await elsewhere.close()
  })

  it.each([400, 401, 404, 418, 500, 502, 599])('is an answer with status %i', async (status) => {
    const delivery = await deliverToReceiver(answerWith(status, {}, 'no'))
    expect(delivery).toMatchObject({ state: 'pending', last_status: status, last_error: expect.stringContaining(String(status)) })
    expect(delivery.attempts[0]).toMatchObject({ number: 1, trigger: 'schedule', response_body: 'no' })
  })

  it.each<[string, Behaviour, number | null]>([
    ['no answer in time', () => {}, null],
    ['a body that is not complete in time', drip(200), 200],
    ['a connection that is reset', (_request, _response, incoming) => void incoming.socket.resetAndDestroy(), null],
    ['a connection that ends without an answer', (_request, _response, incoming) => void incoming.socket.end(), null],
    [
      'a body that breaks off',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('half')
        setTimeout(() => response.destroy(), 20)
      },
      200,
    ],
  ])('is %s', async (_name, behaviour, status) => {
    const delivery = await deliverToReceiver(behaviour)
    expect(delivery).toMatchObject({ state: 'pending', last_status: status, last_error: expect.stringMatching(/\w/) })
    expect(delivery.attempts[0].duration_ms).toBeLessThan(TIME_LIMIT_MS + atMost(500))
  })

  it.each<[string, (socket: Socket) => void]>([
    ['not HTTP', (socket) => socket.end('what do you want?\r\n\r\n')],
    ['headers without end', (socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`)],
    ['a negative length', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n')],
    ['an informational answer only', (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n')],
    [
      'switching protocols',
      (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ],
  ])('is what is %s', async (_name, answer) => {
    expect(await deliverToRaw(answer)).toMatchObject({
      state: 'pending',
      last_status: null,
      last_error: expect.stringMatching(/\w/),
    })
  })

  it('is a refused connection, and a name that does not exist', async () => {
    expect(await deliverTo(await closedPort())).toMatchObject({
      state: 'pending',
      last_status: null,
      last_error: expect.stringContaining('ECONNREFUSED'),
    })
    expect(await deliverTo('http://receiver.invalid/')).toMatchObject({
      state: 'pending',
      last_status: null,
      last_error: expect.stringMatching(/\w/),
    })
  })

  it('is TLS where there is none', async () => {
    const receiver = await startReceiver()
    expect(await deliverTo(receiver.url.replace('http:', 'https:'))).toMatchObject({
      state: 'pending',
      last_status: null,
      last_error: expect.stringMatching(/\w/),
    })
    await receiver.close()
  })
})

describe('the log of attempts', () => {
  it.each<[string, Buffer, string]>([
    ['text that ends within a character', Buffer.from('é'.repeat(513)), 'é'.repeat(512)],
    ['a cut character', Buffer.from(`x${'é'.repeat(513)}`), `x${'é'.repeat(511)}`],
    ['U+0000', Buffer.from('a\u0000b'), 'a\uFFFDb'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x41]), '\uFFFD\uFFFDA'],
    ['nothing', Buffer.alloc(0), ''],
  ])('keeps the first 1 KiB of an answer that is %s', async (_name, body, kept) => {
    const { attempts } = await deliverToReceiver((_request, response) => void response.end(body))
    expect(attempts[0].response_body).toBe(kept)
  })
})
