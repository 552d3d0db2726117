import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Random } from '../random.ts'
import type { LiveOptions } from './customers.ts'

const FAILING_SHARE = 0.2
const NAME = 'Demo receiver'

/** A receiver of webhooks on this machine. */
export interface Receiver {
  close(): Promise<void>
}

/** Starts a receiver that fails one delivery in five, and subscribes it to all events. */
export async function startReceiver({
  client,
  seed,
  journal,
}: Pick<LiveOptions, 'client' | 'seed' | 'journal'>): Promise<Receiver> {
  const random = new Random(`${seed} receiver`)
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      const isRefused = random.chance(FAILING_SHARE)
      if (isRefused) journal.refused++
      else journal.delivered++
      if (isRefused) journal.tell(`The receiver refuses ${String(request.headers['x-webhook-topic'])}; it is sent again`)
      response.writeHead(isRefused ? 500 : 204).end()
    })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`
  const { webhooks } = await client.webhooks.list()
  const known = webhooks.find(({ name }) => name === NAME)
  if (known === undefined) await client.webhooks.create({ name: NAME, url, events: ['*'] })
  else await client.webhooks.update(known.id, { url, active: true })
  return { close: () => closed(server) }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
