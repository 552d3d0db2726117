import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** Stands between the service and Postgres, and does to their connections what networks and dying servers do. */
export interface DatabaseProxy {
  /** The database's URL by way of the proxy. */
  url: string
  /** From now on nothing passes, in connections that are open and in new ones, and none is closed: a frozen server. */
  freeze(): void
  /** Like `freeze`, for the oldest of the open connections alone. */
  freezeOne(): void
  /** Everything passes again, what was held back first. */
  thaw(): void
  /** Closes all connections without a word. */
  cut(): void
  /** Takes no connections, after closing those that there are: a stopped server. */
  refuse(): Promise<void>
  accept(): Promise<void>
  /** Leads new connections to another server, as an address that moves with the primary does; those that are open stay. */
  pointTo(databaseUrl: string): void
  /** How many connections are open. */
  readonly connections: number
  close(): Promise<void>
}

/** Starts a proxy in front of a database. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  let target = new URL(databaseUrl)
  const pairs = new Set<[Socket, Socket]>()
  let frozen = false
  let server = await listen(0)
  const { port } = server.address() as AddressInfo

  async function listen(onPort: number): Promise<Server> {
    const listening = createServer(link)
    await once(listening.listen(onPort, '127.0.0.1'), 'listening')
    return listening
  }

  function link(client: Socket): void {
    const upstream = connect(Number(target.port), target.hostname)
    const pair: [Socket, Socket] = [client, upstream]
    pairs.add(pair)
    for (const [from, to] of [pair, pair.toReversed() as typeof pair]) {
      from.setNoDelay(true)
      from.on('data', (chunk) => to.write(chunk))
      from.on('error', () => {})
      from.on('close', () => {
        pairs.delete(pair)
        to.destroy()
      })
    }
    if (frozen) pair.forEach((socket) => socket.pause())
  }

  const cut = (): void => pairs.forEach((pair) => pair.forEach((socket) => socket.destroy()))
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`

  return {
    url: url.href,
    freeze: () => {
      frozen = true
      pairs.forEach((pair) => pair.forEach((socket) => socket.pause()))
    },
    freezeOne: () => [...pairs][0]?.forEach((socket) => socket.pause()),
    thaw: () => {
      frozen = false
      pairs.forEach((pair) => pair.forEach((socket) => socket.resume()))
    },
    cut,
    refuse: async () => {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
    accept: async () => {
      server = await listen(port)
    },
    pointTo: (databaseUrl) => {
      target = new URL(databaseUrl)
    },
    get connections() {
      return pairs.size
    },
    close: async () => {
      server.close()
      cut()
    },
  }
}
