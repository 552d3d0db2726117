import { reasonOf } from '../failed-request.ts'

/** Where messages are sent. */
export interface RelayTarget {
  /** The address of `/mcp`. */
  url: URL
  apiKey: string
}

/** A message of JSON-RPC, as far as the relay looks into it. Only requests have an id and a method. */
interface Message {
  id?: string | number
  method?: string
}

/** An error as the API shows it. */
interface Failure {
  code: string
  message: string
}

const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600
const INTERNAL_ERROR = -32_603

/** Sends messages to a server, and makes a response of every failure. */
export class MessageRelay {
  readonly #target: RelayTarget
  /** The revision that client and server agreed on. */
  #revision: string | undefined

  constructor(target: RelayTarget) {
    this.#target = target
  }

  /** The response to a line, as JSON; undefined for a notification. */
  async relay(line: string): Promise<string | undefined> {
    const message = parsed(line)
    if (message === undefined) return refusalOf(PARSE_ERROR, 'The line is not JSON')
    if (!isMessage(message))
      return refusalOf(INVALID_REQUEST, 'The line is not one message of JSON-RPC 2.0; a batch is not accepted')
    const response = await this.#send(line)
    if ('code' in response) return responseToFailed(message, response)
    if (message.method === 'initialize') this.#revision = revisionOf(response.text)
    return response.text
  }

  /** The response to a message. For a notification there is none, so it counts as failed, which `responseToFailed` leaves out. */
  async #send(body: string): Promise<{ text: string } | Failure> {
    const { url, apiKey } = this.#target
    const revision = this.#revision === undefined ? {} : { 'mcp-protocol-version': this.#revision }
    const accept = 'application/json, text/event-stream'
    const headers = { 'content-type': 'application/json', accept, 'x-api-key': apiKey, ...revision }
    try {
      const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error' })
      const text = await response.text()
      if (!response.ok) return failureIn(text) ?? unavailable(`${url.origin} responded with status ${response.status}`)
      const message = parsed(text)
      if (message !== undefined && isMessage(message)) return { text: JSON.stringify(message) }
      return unavailable(`${url.origin} responded with no message of the protocol; check the URL`)
    } catch (error) {
      return unavailable(`${url.origin} is out of reach (${reasonOf(error)})`)
    }
  }
}

const refusalOf = (code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })

/** Whether it is a request, a notification or a response. */
function isMessage(value: object): boolean {
  const { jsonrpc, method } = value as { jsonrpc?: unknown; method?: unknown }
  return jsonrpc === '2.0' && (typeof method === 'string' || 'result' in value || 'error' in value)
}

function parsed(line: string): Message | undefined {
  try {
    // Texts and numbers are no messages either, but have no fields to look for.
    return Object(JSON.parse(line)) as Message
  } catch {
    return undefined
  }
}

/** Undefined for an error of another server, such as a gateway, which has any form. */
function failureIn(text: string): Failure | undefined {
  const { error } = (parsed(text) ?? {}) as { error?: Partial<Failure> | null }
  return typeof error?.code === 'string' && typeof error.message === 'string' ? (error as Failure) : undefined
}

const unavailable = (message: string): Failure => ({ code: 'service_unavailable', message })

function revisionOf(text: string): string | undefined {
  return (JSON.parse(text) as { result?: { protocolVersion?: string } }).result?.protocolVersion
}

/** A failed call of a tool is a result, which the model reads; any other request has an error. A notification has no response. */
function responseToFailed({ id, method }: Message, failure: Failure): string | undefined {
  if (id === undefined || method === undefined) return undefined
  const result = { content: [{ type: 'text', text: JSON.stringify(failure) }], isError: true }
  const code = failure.code === 'validation_error' ? INVALID_REQUEST : INTERNAL_ERROR
  const error = { code, message: `${failure.code}: ${failure.message}`, data: failure }
  return JSON.stringify({ jsonrpc: '2.0', id, ...(method === 'tools/call' ? { result } : { error }) })
}
