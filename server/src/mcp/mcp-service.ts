import { isJSONRPCRequest, type JSONRPCMessage, parseJSONRPCMessage, Server } from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors/service-error.ts'
import { INFO } from '../openapi/description.ts'
import type { Endpoint } from '../procedures/endpoint.ts'
import { instructionsFor } from './instructions.ts'
import { responseTo } from './one-message.ts'
import { callTool, type ToolCaller, unknownTool } from './tool-call.ts'
import { ToolCatalog } from './tool-catalog.ts'
import { type ToolFilter, toolFilterOf } from './tool-filter.ts'

/** The supported revisions of the protocol, the newest first. */
const REVISIONS = ['2025-11-25', '2025-06-18']
const SERVER = { name: 'fulfillment', title: INFO.title, version: INFO.version }

/** What the service needs: the endpoints, and how to call them. */
export interface McpServiceOptions extends ToolCaller {
  endpoints: readonly Endpoint[]
}

/** Responds to messages of the Model Context Protocol. */
export class McpService {
  readonly #options: McpServiceOptions
  readonly #catalog: ToolCatalog

  constructor(options: McpServiceOptions) {
    this.#options = options
    this.#catalog = new ToolCatalog(options.endpoints)
  }

  /** Responds to a POST, which is one message. */
  async respond(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    requireRevision(request)
    const filter = toolFilterOf(request.query, this.#catalog.sections)
    const message = messageOf(request.body)
    // A notification, or a response to a request that the server never sends.
    if (!isJSONRPCRequest(message)) return await reply.code(202).send()
    return await responseTo(this.#serverFor(request, reply, filter), message)
  }

  #serverFor(request: FastifyRequest, reply: FastifyReply, filter: ToolFilter): Server {
    const instructions = instructionsFor((name) => this.#catalog.hasTool(name, request.caller, filter))
    const server = new Server(SERVER, { capabilities: { tools: {} }, instructions, supportedProtocolVersions: REVISIONS })
    server.setRequestHandler('tools/list', async () => ({ tools: await this.#catalog.toolsFor(request.caller, filter) }))
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }) => {
      const endpoint = this.#catalog.endpointOf(name, filter)
      if (endpoint === undefined) throw unknownTool(name)
      return await callTool(this.#options, endpoint, given, request, reply)
    })
    return server
  }
}

/** Clients send the revision from the second message on. One without the header is taken for the older. */
function requireRevision({ headers }: FastifyRequest): void {
  const revision = headers['mcp-protocol-version']
  if (revision !== undefined && !REVISIONS.includes(String(revision)))
    throw new ServiceError('validation_error', `MCP-Protocol-Version must be ${REVISIONS.join(' or ')}`)
}

/** Throws `validation_error` if the body is not one message of JSON-RPC: a batch isn't. */
function messageOf(body: unknown): JSONRPCMessage {
  try {
    return parseJSONRPCMessage(body)
  } catch (cause) {
    throw new ServiceError('validation_error', 'The body must be one JSON-RPC message; a batch is not accepted', { cause })
  }
}
