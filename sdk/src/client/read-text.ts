import { readBytes } from '../read-bytes.ts'
import { ResponseTooLargeError } from './response-too-large-error.ts'

/** The text of a response of at most `mostBytes` after decompression. Throws a {@link ResponseTooLargeError} if it is larger. */
export async function readText(response: Response, mostBytes: number, signal: AbortSignal): Promise<string> {
  const { body, headers } = response
  // React Native and some libraries have no standard stream. There the limit can only be checked afterwards, and in characters: a text of
  // more characters has more bytes, too.
  if (typeof body?.getReader !== 'function') {
    const text = await response.text()
    if (text.length > mostBytes) throw new ResponseTooLargeError(response, mostBytes)
    return text
  }
  if (Number(headers.get('Content-Length')) > mostBytes) {
    void body.cancel().catch(() => undefined)
    throw new ResponseTooLargeError(response, mostBytes)
  }
  const bytes = await readBytes(body, mostBytes, signal)
  if (bytes === undefined) throw new ResponseTooLargeError(response, mostBytes)
  return new TextDecoder().decode(bytes)
}
