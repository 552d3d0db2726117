import { once } from 'node:events'
import { createServer, request as httpRequest, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestService } from '../support/service.ts'

/** Starts a gateway in front of the service. `intercept` may respond to a request itself; it returns whether it did. */
export async function startGateway(
  service: Pick<TestService, 'url'>,
  intercept: (...call: Parameters<RequestListener>) => boolean | Promise<boolean>,
): Promise<{ url: string; server: Server }> {
  const { hostname, port } = new URL(service.url)
  const forward: RequestListener = (incoming, response) => {
    const { method, url, headers } = incoming
    const onward = httpRequest({ hostname, port, method, path: url, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(response)
    })
    incoming.pipe(onward)
  }
  const server = createServer((incoming, response) => {
    void Promise.resolve(intercept(incoming, response)).then((isHandled) => isHandled || forward(incoming, response))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}
