import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { guardPage } from './page-guard.ts'
import { sendPage } from './page-files.ts'
import type { PageRequest } from './page-request.ts'
import { pageAuthentication } from './page-sessions.ts'
import { RefusedSignIns } from './refused-sign-ins.ts'
import { SessionCache } from './session-cache.ts'
import { readSession, signIn, type SignInOptions, signOut } from './sign-in.ts'

export interface PageServiceOptions extends Pick<SignInOptions, 'db' | 'keys' | 'limit'> {
  config: Pick<Config, 'publicUrl' | 'sessionIdleHours' | 'sessionMaxDays'>
  onSignInRefused: () => void
}

/** Handles requests of the pages. */
export class PageService {
  readonly sessions: SessionCache
  /** Authenticates a call of an operation by a page. */
  readonly authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  readonly sendPage = sendPage
  readonly #publicUrl: string | undefined
  readonly #signInOptions: SignInOptions

  constructor({ db, keys, limit, config, onSignInRefused }: PageServiceOptions) {
    this.sessions = new SessionCache(db, config.sessionIdleHours)
    this.authenticate = pageAuthentication(db, this.sessions)
    this.#publicUrl = config.publicUrl
    const refused = new RefusedSignIns(db, onSignInRefused)
    this.#signInOptions = { db, keys, limit, config, sessions: this.sessions, refused }
  }

  guard(request: FastifyRequest, reply: FastifyReply, page: PageRequest, done: (error?: Error) => void): void {
    guardPage(request, reply, page, this.#publicUrl, done)
  }

  signIn(request: FastifyRequest, reply: FastifyReply) {
    return signIn(request, reply, this.#signInOptions)
  }

  readSession(request: FastifyRequest, reply: FastifyReply) {
    return readSession(request, reply, this.#signInOptions)
  }

  signOut(request: FastifyRequest, reply: FastifyReply) {
    return signOut(request, reply, this.#signInOptions)
  }
}
