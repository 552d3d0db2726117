import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ports that systems give to those who name none: between this look and the moment when the caller listens, another test would get it.
 * Each process of the tests has ports of its own, for the same reason.
 */
const FIRST = 20_000 + 2_000 * (Number(process.env.VITEST_POOL_ID ?? 0) % 6)
const COUNT = 2_000

let next = Math.floor(Math.random() * COUNT)

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (next++ % COUNT)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  server.close()
  if (isListening) await once(server, 'close')
  return isListening
}
