import {
  INVALID_PARAMS,
  isJSONRPCErrorResponse,
  isSpecType,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Server,
  type Transport,
} from '@modelcontextprotocol/server'

/** Checks of the requests that have parameters. The library's errors for these are internal ones, or quote its schemas. */
const CHECKS = new Map<string, (message: unknown) => boolean>([
  ['initialize', isSpecType.InitializeRequest],
  ['tools/list', isSpecType.ListToolsRequest],
  ['tools/call', isSpecType.CallToolRequest],
])

/** Has a server respond to one request. There are no sessions, so each request has a server of its own, which ends with it. */
export async function responseTo(server: Server, message: JSONRPCRequest): Promise<JSONRPCMessage> {
  const { promise, resolve } = Promise.withResolvers<JSONRPCMessage>()
  const transport: Transport = { start: async () => {}, close: async () => {}, send: async (response) => resolve(response) }
  await server.connect(transport)
  transport.onmessage?.(message)
  const response = await promise
  if (!isJSONRPCErrorResponse(response) || CHECKS.get(message.method)?.(message) !== false) return response
  return { ...response, error: { code: INVALID_PARAMS, message: `The params of ${message.method} are wrong` } }
}
