import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** A proxy between the service and Postgres that simulates network faults and dying servers. */
export interface DatabaseProxy {
  /** The URL of the database through the proxy. */
  url: string
  /** Holds back all data of open and new connections without closing them, like a frozen server. */
  freeze(): void
  /** Like `freeze`, but only for the oldest open connection. */
  freezeOne(): void
  /** Like `freeze`, but requests still reach the database: only its responses are held back. */
  freezeResponses(): void
  /** Ends a freeze: passes the data held back, then everything else. */
  thaw(): void
  /** Closes all connections abruptly. */
  cut(): void
  /** Closes all connections and accepts no new ones, like a stopped server. */
  refuse(): Promise<void>
  accept(): Promise<void>
  /** Sends new connections to another server, like an address that follows the primary. Open connections stay as they are. */
  pointTo(databaseUrl: string): void
  /** Number of open connections. */
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
    freezeResponses: () => pairs.forEach(([, upstream]) => upstream.pause()),
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
