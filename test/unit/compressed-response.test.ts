import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'
import Fastify from 'fastify'
import { expect, it, onTestFinished, vi } from 'vitest'
import { CompressedResponse } from '@fulfillment/server/http/body/compressed-response.ts'

it('a response that could not be compressed is compressed for the next request', async () => {
  const response = new CompressedResponse(Buffer.from('the body'), 'text/plain', 'no-cache')
  const app = Fastify()
  onTestFinished(() => app.close())
  app.get('/', (request, reply) => response.send(request, reply))
  const get = () => app.inject({ url: '/', headers: { 'accept-encoding': 'br' } })

  const compress = vi.spyOn(zlib, 'brotliCompress')
  compress.mockImplementationOnce((...call: unknown[]) => (call.at(-1) as (error: Error) => void)(new Error('out of memory')))
  syncBuiltinESMExports()
  const failed = await get()
  expect([failed.statusCode, failed.headers['content-encoding']]).toEqual([500, undefined])
  for (let request = 0; request < 2; request++) {
    const { statusCode, headers, rawPayload } = await get()
    expect([statusCode, headers['content-encoding']]).toEqual([200, 'br'])
    expect(zlib.brotliDecompressSync(rawPayload).toString()).toBe('the body')
  }
  expect(compress).toHaveBeenCalledTimes(2)
  compress.mockRestore()
  syncBuiltinESMExports()
})
