import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request as the scripted server received it. */
export interface ReceivedRequest {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

/** How to handle a request: a response, or a function for anything else that can happen to its connection. */
type Step = ScriptedResponse | ((response: ServerResponse) => void)

interface ScriptedResponse {
  status?: number
  headers?: Record<string, string>
  body?: unknown
}

/** A server that handles the n-th request by the n-th step, and further requests by the last one. It is closed when the test ends. */
export async function scriptedServer(...steps: Step[]): Promise<{ baseUrl: string; requests: ReceivedRequest[] }> {
  const requests: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    const step = steps[Math.min(requests.length, steps.length - 1)] ?? {}
    const received = { method: request.method!, url: request.url!, headers: request.headers, body: '' }
    requests.push(received)
    request.setEncoding('utf8').on('data', (chunk: string) => (received.body += chunk))
    request.on('end', () => (typeof step === 'function' ? step(response) : respond(response, step)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

function respond(response: ServerResponse, { status = 200, headers = {}, body }: ScriptedResponse): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? success({}))
  response.writeHead(status, { 'Content-Type': 'application/json', 'X-Request-Id': 'req-1', ...headers }).end(text)
}

/** The body of a success. */
export function success(data: unknown): unknown {
  return { success: true, data }
}

/** A failure with its status. */
export function failure(status: number, code: string, message = code, headers: Record<string, string> = {}): ScriptedResponse {
  return { status, headers, body: { success: false, error: { code, message } } }
}
