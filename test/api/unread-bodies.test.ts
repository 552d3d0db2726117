import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

const SIZES = [5 * 1_024 ** 2 + 1, 20_000_000]
const CHUNK = Buffer.alloc(65_536, 'x')

let service: TestService
let key: string
beforeAll(async () => {
  service = await startService()
  ;({ key } = await service.newTenant())
})
afterAll(() => service.stop())

/** What a client sends: `size` bytes to a path, with a Content-Length or in chunks. */
interface Upload {
  path: string
  size: number
  headers: Record<string, string>
  isChunked: boolean
}

function* chunksOf(size: number): Generator<Buffer> {
  for (let left = size; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, left)
}

async function withFetch({ path, size, headers, isChunked }: Upload): Promise<number> {
  const body = isChunked ? ReadableStream.from(chunksOf(size)) : 'x'.repeat(size)
  const response = await fetch(service.url + path, { method: 'POST', headers, body, ...(isChunked && { duplex: 'half' }) })
  await response.text()
  return response.status
}

async function withNode({ path, size, headers, isChunked }: Upload): Promise<number> {
  const length = isChunked ? {} : { 'content-length': size }
  const sent = request(service.url + path, { method: 'POST', headers: { ...headers, ...length } })
  const answered = once(sent, 'response')
  for (const chunk of chunksOf(size)) if (!sent.write(chunk)) await Promise.race([once(sent, 'drain'), answered])
  sent.end()
  const [response] = await answered
  response.resume()
  await once(response, 'end')
  return response.statusCode
}

/** Like Python: looks for an answer when all is sent, and gives up when that fails. */
async function sendingFirst({ path, size, headers, isChunked }: Upload): Promise<number> {
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
  const [answer] = await Promise.race([failed, once(socket, 'data')])
  socket.destroy()
  return Number(answer.toString().split(' ')[1])
}

const CLIENTS = { fetch: withFetch, 'node:http': withNode, 'a client that sends all first': sendingFirst }

describe.each(Object.entries(CLIENTS))('%s is told', (_, client) => {
  const upload = (fields: Partial<Upload>) =>
    client({ path: '/api/v1/orders', size: SIZES[0] as number, isChunked: false, headers: {}, ...fields })
  // Keeping a connection open, and closing it, are different ways for an answer to get lost.
  const closing: Record<string, string> = client === withFetch ? {} : { connection: 'close' }

  it.each([
    ['Content-Length', false],
    ['chunks', true],
  ])('that a body sent with %s is too large, whatever its type', async (_way, isChunked) => {
    for (const size of SIZES) {
      for (const type of ['application/json', 'text/plain']) {
        for (const connection of [{}, closing]) {
          const headers = { 'x-api-key': key, 'content-type': type, ...connection }
          expect([size, type, await upload({ size, isChunked, headers })]).toEqual([size, type, 413])
        }
      }
    }
  })

  it('that the key is missing or the route unknown, however large the body', async () => {
    const headers = { 'content-type': 'application/json', ...closing }
    for (const size of SIZES) {
      expect(await upload({ size, headers })).toBe(401)
      expect(await upload({ size, headers, path: '/nowhere' })).toBe(404)
    }
  })
})

it('a client that does not come to an end of a body is answered and cut off', async () => {
  const { hostname, port } = new URL(service.url)
  const startedAt = performance.now()
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write('POST /api/v1/orders HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n')
  const drip = setInterval(() => socket.write('x'), 500)
  const [answer] = await once(socket, 'data')
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 [^]*connection: close/)
  await once(socket, 'close')
  clearInterval(drip)
  expect(performance.now() - startedAt).toBeLessThan(15_000)
})
