import type { IncomingMessage } from 'node:http'
import { bodyTooLarge, MAX_BYTES } from './body-limit.ts'
import type { RawBody } from './verification.ts'

/** The properties in which body parsers and cloud functions store a body that they have read. */
interface ParsedRequest extends IncomingMessage {
  body?: RawBody
  rawBody?: RawBody
}

/** The body: as stored by an earlier reader, otherwise from the stream. */
export async function readRawBody(request: ParsedRequest): Promise<RawBody> {
  const { rawBody, body } = request
  // A parsed body is passed on as it is. The verification reports the error.
  if (rawBody !== undefined || request.readableDidRead) return (rawBody ?? body)!
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BYTES) throw bodyTooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
