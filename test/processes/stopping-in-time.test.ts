import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, vi } from 'vitest'
import { it } from '../support/it.ts'
import { send } from '../support/service.ts'

// A stop takes up to 28 seconds.
vi.setConfig({ testTimeout: 180_000 })

it('a server whose client never ends its request, and whose receiver never answers, still stops its embedded Postgres and ends well', async ({
  folder,
  startProcess,
  receiver,
}) => {
  receiver.behave(() => {})
  const server = await startProcess({ DATA_DIR: folder })
  const [, key] = await server.printed(/Admin API key \(shown only now\)\s+(\S+)/)
  const call = (route: string, body: unknown) =>
    send(`${server.url}/api/v1${route}`, 'POST', body, { headers: { 'x-api-key': String(key) } })
  const subscription = { name: 'silent', url: receiver.url, events: ['product/created'] }
  expect((await call('/webhooks', subscription)).status).toBe(200)
  const products = Array.from({ length: 200 }, (_, n) => ({ barcode: `b${n}`, name: 'Tea' }))
  expect((await call('/products/bulk', { products })).status).toBe(200)
  // Deliveries are in flight at any moment from now on.
  await receiver.count(1)

  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  const head = ['POST /api/v1/products HTTP/1.1', 'Host: server', `X-API-Key: ${key}`, 'Content-Type: application/json']
  socket.write(`${[...head, 'Content-Length: 100'].join('\r\n')}\r\n\r\n{`)
  await delay(500)
  expect(await server.end('SIGTERM')).toBe(0)
  expect(existsSync(path.join(folder, 'postgres/postmaster.pid'))).toBe(false)
})
