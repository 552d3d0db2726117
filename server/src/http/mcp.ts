import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors/service-error.ts'
import type { McpServiceOptions } from '../mcp/mcp-service.ts'
import { loadOnce } from '../runtime/load-once.ts'
import { type Guard, guardedBy } from './guards.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How calls of the route come in, for the audit log. Default: `api`. */
    surface?: 'mcp'
  }
}

const UNAUTHORIZED = 401

/** Serves the Model Context Protocol at /mcp. The modules of the protocol are loaded with the first message. */
export function mcpRoute(
  app: FastifyInstance,
  options: McpServiceOptions,
  guards: readonly Guard[],
  origins: readonly string[],
): void {
  const load = loadOnce(async () => new (await import('../mcp/mcp-service.ts')).McpService(options))
  app.route({
    method: 'POST',
    url: '/mcp',
    config: { surface: 'mcp', operationOf: ({ toolCall }) => toolCall?.operation },
    onRequest: guardedBy([requireOrigin(origins), ...guards]),
    onSend: (_request, reply, payload, done) => {
      if (reply.statusCode === UNAUTHORIZED) reply.header('www-authenticate', 'Bearer')
      done(null, payload)
    },
    handler: async (request, reply) => (await load()).respond(request, reply),
  })
}

/**
 * Refuses pages of origins that CORS does not allow. The protocol demands it of servers on a user's machine, which a page could reach under
 * a name of its own; here such a page would still need a key.
 */
function requireOrigin(origins: readonly string[]): Guard {
  return ({ headers: { origin } }) => {
    if (origin === undefined || origins.includes('*') || origins.includes(origin)) return
    throw new ServiceError('origin_not_allowed', `Pages of ${origin} may not call this server: CORS_ORIGIN does not list it`)
  }
}
