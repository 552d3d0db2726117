import type { IncomingMessage } from 'node:http'
import { bodyTooLarge, MOST_BYTES } from './body-limit.ts'
import type { RawBody } from './verification.ts'

/** Where body parsers and cloud functions leave the body that they have read. */
interface ParsedRequest extends IncomingMessage {
  body?: RawBody
  rawBody?: RawBody
}

/** The body from whoever has read it before us, else from the stream. */
export async function readRawBody(request: ParsedRequest): Promise<RawBody> {
  const { rawBody, body } = request
  // A body that was parsed goes on as it is: the verification says what is wrong with it.
  if (rawBody !== undefined || request.readableDidRead) return (rawBody ?? body)!
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MOST_BYTES) throw bodyTooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
