import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'

/** A check before the body is read. It throws to reject the request, and returns a promise only if it must wait. */
export type Guard = (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>

/** A hook that applies guards in order. Most requests wait for none: a promise for each guard would cost more than the guards do. */
export function guardedBy(guards: readonly Guard[]): onRequestHookHandler {
  const applyFrom = (first: number, request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    let waits: void | Promise<void> = undefined
    let next = first
    try {
      while (next < guards.length && waits === undefined) waits = guards[next++]?.(request, reply)
    } catch (error) {
      return done(error as Error)
    }
    if (waits === undefined) return done()
    waits.then(() => applyFrom(next, request, reply, done), done)
  }
  return (request, reply, done) => applyFrom(0, request, reply, done)
}
