import type { JSONRPCMessage, JSONRPCRequest, Server, Transport } from '@modelcontextprotocol/server'

/** Has a server respond to one request. There are no sessions, so each request has a server of its own, which ends with it. */
export async function responseTo(server: Server, message: JSONRPCRequest): Promise<JSONRPCMessage> {
  const { promise, resolve } = Promise.withResolvers<JSONRPCMessage>()
  const transport: Transport = { start: async () => {}, close: async () => {}, send: async (response) => resolve(response) }
  await server.connect(transport)
  transport.onmessage?.(message)
  return await promise
}
