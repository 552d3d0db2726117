import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/**
 * A response in pieces. An error of the first piece is still a response of its own; later ones close the connection, so that no response looks
 * complete.
 */
export async function streamOf({ raw }: FastifyReply, pieces: AsyncGenerator<string, undefined | void>): Promise<Readable> {
  // A stream that was not read would not end its source when the client leaves.
  raw.once('close', () => void pieces.return(undefined))
  const first = await pieces.next()
  if (raw.destroyed) await pieces.return(undefined)
  return Readable.from(beginningWith(first, pieces))
}

async function* beginningWith(
  first: IteratorResult<string, undefined | void>,
  rest: AsyncGenerator<string, undefined | void>,
): AsyncGenerator<string> {
  if (first.done !== true) yield first.value
  yield* rest
}
