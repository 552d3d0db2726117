/** The body of a `Request` or `Response`. */
export type ByteStream = NonNullable<Response['body']>

/**
 * All bytes of a stream, or undefined if there are more than `mostBytes`. Above the limit, and when the signal aborts, the stream is
 * cancelled, so that the rest is not transferred.
 */
export async function readBytes(stream: ByteStream, mostBytes: number, signal?: AbortSignal): Promise<Uint8Array | undefined> {
  const reader = stream.getReader()
  const cancel = () => void reader.cancel().catch(() => undefined)
  signal?.addEventListener('abort', cancel)
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return joined(chunks, size)
    size += value.length
    if (size > mostBytes) {
      cancel()
      return undefined
    }
    chunks.push(value)
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}
