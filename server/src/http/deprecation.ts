import type { onSendHookHandler } from 'fastify'
import type { Deprecation } from '../procedures/endpoint-facts.ts'

/**
 * The headers of a deprecated operation: `Deprecation` (RFC 9745, seconds since 1970), `Sunset` (RFC 8594, an HTTP date) and a `Link` to
 * the migration guide.
 */
function deprecationHeaders({ since, sunset, link }: Deprecation): Record<string, string> {
  return {
    deprecation: `@${Date.parse(since) / 1_000}`,
    ...(sunset === undefined ? {} : { sunset: new Date(sunset).toUTCString() }),
    link: `<${link}>; rel="deprecation"; type="text/html"`,
  }
}

/** A hook that adds them to every response of a route, including errors before the handler. */
export function announceDeprecation(deprecation: Deprecation): onSendHookHandler {
  const headers = deprecationHeaders(deprecation)
  return (_request, reply, _payload, done) => {
    reply.headers(headers)
    done()
  }
}
