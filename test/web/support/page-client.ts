import { Agent, request } from 'undici'

/** Header names with their values; undefined leaves out what is otherwise sent. */
export type PageHeaders = Record<string, string | undefined>

export interface PageResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  // Tests read whatever fields they expect.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

// Each connection is closed: tests stop servers while others go on.
const agent = new Agent({ pipelining: 0 })

/** Sends requests as a page of the dashboard in a browser does, over plain HTTP: with its headers and its cookie. */
export class PageClient {
  readonly #url: string
  readonly #headers: PageHeaders
  /** `name=value`, as the browser sends it. */
  cookie: string | undefined

  constructor(url: string, headers: PageHeaders = {}) {
    this.#url = url
    this.#headers = headers
  }

  async send(method: string, path: string, body?: unknown, headers: PageHeaders = {}): Promise<PageResponse> {
    const sent = Object.entries({
      'x-page': 'dashboard',
      'sec-fetch-site': 'same-origin',
      cookie: this.cookie,
      'content-type': body === undefined ? undefined : 'application/json',
      ...this.#headers,
      ...headers,
    }).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const response = await request(`${this.#url}${path}`, {
      method,
      headers: Object.fromEntries(sent),
      dispatcher: agent,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.body.text()
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    return {
      status: response.statusCode,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    }
  }

  /** Calls an operation, below `/dashboard/api/v1`. */
  async call(method: string, path: string, body?: unknown, headers: PageHeaders = {}): Promise<PageResponse> {
    return await this.send(method, `/dashboard/api/v1${path}`, body, { 'x-page-mode': 'live', ...headers })
  }

  /** Signs in with a key or a code, and keeps the cookie. */
  async signIn(credential: { key: string } | { code: string }, headers: PageHeaders = {}): Promise<PageResponse> {
    const response = await this.send('POST', '/dashboard/session', credential, headers)
    if (response.status === 200) this.cookie = cookieOf(response)
    return response
  }
}

/** The cookie that a response sets, without its attributes. */
export function cookieOf({ headers }: PageResponse): string {
  return String(headers['set-cookie']).split(';', 1)[0] ?? ''
}

/** A browser that has signed in with a key. */
export async function signedIn(url: string, key: string, headers: PageHeaders = {}): Promise<PageClient> {
  const client = new PageClient(url, headers)
  const response = await client.signIn({ key })
  if (response.status !== 200) throw new Error(`the sign-in was refused: ${response.text}`)
  return client
}

/** Status and error code. */
export const outcome = ({ status, body }: PageResponse): [number, string | undefined] => [status, body?.error?.code]
