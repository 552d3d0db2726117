import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isJSONRPCErrorResponse,
  isSpecType,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Server,
  type Transport,
} from '@modelcontextprotocol/server'

/** Requests whose parameters the library checks, but whose error it takes for an internal one. */
const CHECKS: Readonly<Record<string, (message: unknown) => boolean>> = {
  initialize: isSpecType.InitializeRequest,
  'tools/list': isSpecType.ListToolsRequest,
}

/** Has a server respond to one request. There are no sessions, so each request has a server of its own, which ends with it. */
export async function responseTo(server: Server, message: JSONRPCRequest): Promise<JSONRPCMessage> {
  const { promise, resolve } = Promise.withResolvers<JSONRPCMessage>()
  const transport: Transport = { start: async () => {}, close: async () => {}, send: async (response) => resolve(response) }
  await server.connect(transport)
  transport.onmessage?.(message)
  const response = await promise
  if (!isJSONRPCErrorResponse(response) || response.error.code !== INTERNAL_ERROR) return response
  if (CHECKS[message.method]?.(message) !== false) return response
  const error = { code: INVALID_PARAMS, message: `The params of ${message.method} are wrong` }
  return { ...response, error }
}
