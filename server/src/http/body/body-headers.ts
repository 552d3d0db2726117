import type { IncomingHttpHeaders } from 'node:http'

const JSON_TYPE = /^application\/json\s*(;|$)/i

/** Whether a request announced a body. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** Whether a `Content-Type` is that of JSON, with or without parameters. */
export function isJsonType(contentType: string): boolean {
  return JSON_TYPE.test(contentType)
}
