import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'

const LIMITED_PAUSE_MS = 500
const BROKEN_PAUSE_MS = 100
const MAX_CONNECTIONS = 400

export interface FloodRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  /** A large body should be made once, as a Buffer: the attacker shares the machine with the server. */
  body?: object | Buffer
  /** The API key. Default: the attacker's first key. */
  key?: string
  headers?: Record<string, string>
}

/** An attacker's connections to one server. Counts the responses. */
export class Flood {
  readonly port: number
  readonly #key: string
  readonly #pool: Pool
  readonly #responses = new Map<string, number>()
  readonly #end = new AbortController()

  constructor(port: number, key: string) {
    this.port = port
    this.#key = key
    this.#pool = new Pool(`http://127.0.0.1:${port}`, { connections: MAX_CONNECTIONS, headersTimeout: 60_000 })
    this.#pool.setMaxListeners(0)
  }

  /** Aborts at the end of the attack. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** Number of responses by status, for the report. */
  get responses(): Record<string, number> {
    return Object.fromEntries(this.#responses)
  }

  end(): Promise<void> {
    this.#end.abort()
    return this.#pool.destroy()
  }

  /** Sends one request and discards the response. Returns its status; 0 without a response. */
  async send(request: FloodRequest): Promise<number> {
    try {
      const response = await this.#request(request)
      await response.body.dump({ limit: Infinity })
      return this.count(response.statusCode)
    } catch {
      return this.#end.signal.aborted ? 0 : this.count(0)
    }
  }

  /** Sends one request and returns the data of the response. Throws unless the call succeeds. */
  async call<Data>(request: FloodRequest): Promise<Data> {
    const response = await this.#request(request)
    const envelope = (await response.body.json()) as { success: boolean; data: Data }
    if (!envelope.success) throw new Error(`${request.method} ${request.path} responded with ${JSON.stringify(envelope)}`)
    return envelope.data
  }

  /** Lets `callers` send requests one after the other, until the attack ends or `next` returns undefined. They respect the rate limit. */
  async flood(callers: number, next: (count: number) => FloodRequest | undefined): Promise<void> {
    let count = 0
    const caller = async (): Promise<void> => {
      while (!this.#end.signal.aborted) {
        const request = next(count++)
        if (request === undefined) return
        const status = await this.send(request)
        if (status === 429) await this.pause(LIMITED_PAUSE_MS)
        else if (status === 0) await this.pause(BROKEN_PAUSE_MS)
      }
    }
    await Promise.all(Array.from({ length: callers }, caller))
  }

  /** Waits, at most until the end of the attack. */
  pause(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.#end.signal }).catch(() => {})
  }

  count(status: number): number {
    const name = status === 0 ? 'no response' : String(status)
    this.#responses.set(name, (this.#responses.get(name) ?? 0) + 1)
    return status
  }

  #request({ method, path, body, key = this.#key, headers }: FloodRequest) {
    const content = body === undefined ? undefined : Buffer.isBuffer(body) ? body : JSON.stringify(body)
    return this.#pool.request({
      method,
      path: `/api/v1${path}`,
      headers: { 'x-api-key': key, ...(content === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(content === undefined ? {} : { body: content }),
    })
  }
}
