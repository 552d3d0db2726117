import { request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { expect, it as base } from 'vitest'
import { limitMemory } from '@fulfillment/server/http/limits/memory-limits.ts'

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
