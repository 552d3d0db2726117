import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy in front of Postgres that counts the executions of prepared statements. */
export interface StatementCounter {
  /** The URL of the database through the proxy. */
  url: string
  /** Executions so far, by the name of the statement. */
  executions: ReadonlyMap<string, number>
  close(): void
}

export async function startStatementCounter(databaseUrl: string): Promise<StatementCounter> {
  const target = new URL(databaseUrl)
  const executions = new Map<string, number>()
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const messages = new Messages((name) => executions.set(name, (executions.get(name) ?? 0) + 1))
    client.on('data', (chunk: Buffer) => messages.add(chunk))
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true).on('error', () => {})
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    client.pipe(upstream).pipe(client)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = (): void => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { url: url.href, executions, close }
}

const LENGTH_BYTES = 4
const BIND = 'B'.charCodeAt(0)

/** Reads what a client sends to Postgres: a message is its type, its length without the type, and its content. The first one has no type. */
class Messages {
  readonly #onBind: (statement: string) => void
  #rest: Buffer = Buffer.alloc(0)
  #typeBytes = 0

  constructor(onBind: (statement: string) => void) {
    this.#onBind = onBind
  }

  add(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk])
    for (;;) {
      const head = this.#typeBytes + LENGTH_BYTES
      if (this.#rest.length < head) return
      const end = this.#typeBytes + this.#rest.readInt32BE(this.#typeBytes)
      if (this.#rest.length < end) return
      if (this.#typeBytes === 1 && this.#rest[0] === BIND) this.#onBind(statementOf(this.#rest.subarray(head, end)))
      this.#rest = this.#rest.subarray(end)
      this.#typeBytes = 1
    }
  }
}

/** The second text of a `Bind`, behind the name of the portal. */
const statementOf = (content: Buffer): string => content.toString('latin1').split('\0', 2)[1] ?? ''
