import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PageOrigin } from './page-origin.ts'
import type { PageApp } from './page-request.ts'

const DAY_SECONDS = 86_400

/**
 * Over HTTPS, the prefix `__Host-` prevents that a sibling domain or plain HTTP sets the cookie. Safari stores no secure cookie of
 * `http://localhost`.
 */
const nameOf = (app: PageApp, { isSecure }: PageOrigin): string => (isSecure ? `__Host-${app}` : app)

/** The value of the session's cookie, or undefined. */
export function readCookie({ raw, pageOrigin }: FastifyRequest, app: PageApp): string | undefined {
  const { cookie } = raw.headers
  return cookie === undefined || pageOrigin === undefined ? undefined : parseCookie(cookie)[nameOf(app, pageOrigin)]
}

/** Sets the session cookie, for so many days. */
export function setCookie({ pageOrigin }: FastifyRequest, reply: FastifyReply, app: PageApp, value: string, days: number): void {
  write(pageOrigin as PageOrigin, reply, app, value, days * DAY_SECONDS)
}

/** Deletes the session cookie. */
export function clearCookie({ pageOrigin }: FastifyRequest, reply: FastifyReply, app: PageApp): void {
  write(pageOrigin as PageOrigin, reply, app, '', 0)
}

function write(origin: PageOrigin, reply: FastifyReply, app: PageApp, value: string, maxAge: number): void {
  const flags = { path: '/', httpOnly: true, sameSite: 'strict', secure: origin.isSecure } as const
  reply.header('set-cookie', stringifySetCookie({ name: nameOf(app, origin), value, maxAge, ...flags }))
}
