import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { it } from '../support/shared-service.ts'
import { atMost } from '../support/patience.ts'
import type { TestService } from '../support/service.ts'

const SIZES = [5 * 1_024 ** 2 + 1, 20_000_000]
const CHUNK = Buffer.alloc(65_536, 'x')

/** A body of `size` bytes, sent to a path with a Content-Length or in chunks. */
interface Upload {
  path: string
  size: number
  headers: Record<string, string>
  isChunked: boolean
}

function* chunksOf(size: number): Generator<Buffer> {
  for (let left = size; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, left)
}

async function withFetch(service: TestService, { path, size, headers, isChunked }: Upload): Promise<number> {
  const body = isChunked ? ReadableStream.from(chunksOf(size)) : 'x'.repeat(size)
  const response = await fetch(service.url + path, { method: 'POST', headers, body, ...(isChunked && { duplex: 'half' }) })
  await response.text()
  return response.status
}

async function withNode(service: TestService, { path, size, headers, isChunked }: Upload): Promise<number> {
  const length = isChunked ? {} : { 'content-length': size }
  const sent = request(service.url + path, { method: 'POST', headers: { ...headers, ...length } })
  const responded = once(sent, 'response')
  for (const chunk of chunksOf(size)) if (!sent.write(chunk)) await Promise.race([once(sent, 'drain'), responded])
  sent.end()
  const [response] = await responded
  response.resume()
  await once(response, 'end')
  return response.statusCode
}

/** Like Python's client: reads the response after sending everything, and fails if sending fails. */
async function sendingFirst(service: TestService, { path, size, headers, isChunked }: Upload): Promise<number> {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  const failed = once(socket, 'close').then(() => Promise.reject(new Error('the connection broke')))
  failed.catch(() => {})
  const write = (data: string | Buffer) =>
    Promise.race([
      failed,
      new Promise<void>((resolve, reject) => socket.write(data, (error) => (error ? reject(error) : resolve()))),
    ])
  const fields = { ...headers, host: 'a', ...(isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': size }) }
  await write(
    `POST ${path} HTTP/1.1\r\n${Object.entries(fields)
      .map((field) => `${field.join(': ')}\r\n`)
      .join('')}\r\n`,
  )
  for (const chunk of chunksOf(size)) {
    if (isChunked) await write(`${chunk.length.toString(16)}\r\n`)
    await write(chunk)
    if (isChunked) await write('\r\n')
  }
  if (isChunked) await write('0\r\n\r\n')
  const [response] = await Promise.race([failed, once(socket, 'data')])
  socket.destroy()
  return Number(response.toString().split(' ')[1])
}

const CLIENTS = { fetch: withFetch, 'node:http': withNode, 'a client that sends all first': sendingFirst }

describe.each(Object.entries(CLIENTS))('%s is told', (_, client) => {
  const upload = (service: TestService, fields: Partial<Upload>) =>
    client(service, { path: '/api/v1/orders', size: SIZES[0] as number, isChunked: false, headers: {}, ...fields })
  // The response must arrive both on a connection that is kept open and on one that is closed.
  const kept: Record<string, string> = {}
  const closing: Record<string, string> = client === withFetch ? kept : { connection: 'close' }

  it.for([
    ['Content-Length', false],
    ['chunks', true],
  ] as const)('that a body sent with %s is too large, whatever its type', async ([, isChunked], { service, tenant }) => {
    for (const size of SIZES) {
      for (const type of ['application/json', 'text/plain']) {
        for (const connection of new Set([kept, closing])) {
          const headers = { 'x-api-key': tenant.key, 'content-type': type, ...connection }
          expect([size, type, await upload(service, { size, isChunked, headers })]).toEqual([size, type, 413])
        }
      }
    }
  })

  it('about a missing key or unknown route, with a body of any size', async ({ service }) => {
    const headers = { 'content-type': 'application/json', ...closing }
    for (const size of SIZES) {
      expect(await upload(service, { size, headers })).toBe(401)
      expect(await upload(service, { size, headers, path: '/nowhere' })).toBe(404)
    }
  })
})

it('all rejected bodies together are read at 32 MiB a second', async ({ service }) => {
  const size = 20_000_000
  const startedAt = performance.now()
  const upload: Upload = { path: '/api/v1/orders', size, isChunked: false, headers: { 'content-type': 'application/json' } }
  const statuses = await Promise.all(Array.from({ length: 12 }, () => withNode(service, upload)))
  expect(statuses).toEqual(statuses.map(() => 401))
  // Sockets hold some megabytes of each body that have not been read.
  expect(performance.now() - startedAt).toBeGreaterThan(((12 * size) / 33_554_432) * 500)
})

it('a small rejected body does not wait for the large ones of others', async ({ service }) => {
  const start = (size: number) => {
    const headers = { 'content-type': 'application/json', 'content-length': size }
    return request(`${service.url}/api/v1/orders`, { method: 'POST', agent: false, headers }).on('error', () => {})
  }
  const body = Buffer.alloc(5_000_000, 'x')
  const large = Array.from({ length: 240 }, () => {
    const sent = start(body.length).on('response', (response) => response.resume())
    sent.end(body)
    return sent
  })
  await delay(1_500)
  const times: number[] = []
  while (times.length < 30) {
    const sent = start(100)
    // The body arrives after the headers, when the request is already rejected.
    sent.flushHeaders()
    await delay(30)
    const startedAt = performance.now()
    sent.end('x'.repeat(100))
    const [response] = await once(sent, 'response')
    response.resume()
    times.push(performance.now() - startedAt)
  }
  for (const sent of large) sent.destroy()
  expect(times.toSorted((a, b) => a - b)[15]).toBeLessThan(atMost(25))
})

it('a client that never finishes its body gets a response and is disconnected', async ({ service }) => {
  const { hostname, port } = new URL(service.url)
  const startedAt = performance.now()
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write('POST /api/v1/orders HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n')
  const drip = setInterval(() => socket.write('x'), 500)
  const [response] = await once(socket, 'data')
  expect(response.toString()).toMatch(/^HTTP\/1\.1 401 [^]*connection: close/)
  await once(socket, 'close')
  clearInterval(drip)
  // The limit is ten seconds.
  expect(performance.now() - startedAt).toBeLessThan(atMost(15_000))
})
