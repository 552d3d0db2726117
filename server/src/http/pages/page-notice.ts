import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceError } from '../../errors/service-error.ts'

const CONTENT_SECURITY_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Shows an error as a page if a person opened the URL in a browser. Returns false for any other request, which gets JSON. */
export function sendPageNotice(request: FastifyRequest, reply: FastifyReply, failure: ServiceError): boolean {
  if (!isNavigation(request)) return false
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', String(failure.retryAfterSeconds))
  reply
    .code(failure.status)
    .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': CONTENT_SECURITY_POLICY })
    .send(noticeOf(failure))
  return true
}

function isNavigation({ method, raw: { headers } }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const mode = headers['sec-fetch-mode']
  return mode === undefined ? (headers.accept ?? '').includes('text/html') : mode === 'navigate'
}

/** The message is a constant and contains nothing of the request. */
function noticeOf({ errorCode, message }: ServiceError): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Fulfillment</title></head>
<body><h1>This page cannot be shown</h1><p>${message}</p><p>${errorCode}</p></body>
</html>
`
}
