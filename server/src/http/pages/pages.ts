import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { ServiceError } from '../../errors/service-error.ts'
import { loadOnce } from '../../runtime/load-once.ts'
import type { AdmitDevice } from '../rest.ts'
import { pathOf } from '../url-path.ts'
import { BODY_LIMIT } from './body-limit.ts'
import { isDocumentPath, type PageApp } from './page-request.ts'
import type { PageService, PageServiceOptions } from './page-service.ts'

const APPS: readonly PageApp[] = ['dashboard', 'scan']
const SESSION = '/dashboard/session'
const PULSE = '/dashboard/pulse'
const EXPORTS = '/dashboard/exports'
/** A user may pause a download for so long. It holds little memory, and a tenant has one at a time. */
const PAUSED_DOWNLOAD_MS = 60_000
const DEVICE = '/scan/session'
const OPERATOR = '/scan/session/operator'
/** Of a file, what is read of it and what waits to be sent. */
const FILE_BYTES = 131_072

/** The pages of the server. Their modules are loaded with the first request of a page, so that they do not slow down the start. */
export class Pages {
  readonly #options: PageServiceOptions
  readonly #load = loadOnce(async () => (this.#service = new (await import('./page-service.ts')).PageService(this.#options)))
  #service: PageService | undefined

  constructor(options: PageServiceOptions) {
    this.#options = options
  }

  /** Removes a session from this process's cache. */
  forget(tenantId: number, sessionId: number): void {
    this.#service?.forget(tenantId, sessionId)
  }

  /** Removes all sessions of an API key from this process's cache. */
  forgetKey(keyId: number): void {
    this.#service?.forgetKey(keyId)
  }

  /** Authenticates a call of an operation by a page. */
  readonly authenticate = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    await (await this.#load()).authenticate(request, reply)

  /** Checks that the device of a request may call an endpoint. */
  readonly admitDevice: AdmitDevice = async (request, reply, endpoint) =>
    await (await this.#load()).admitDevice(request, reply, endpoint)

  /** Admits only requests from pages of this server to page paths. Requests of the API pass. */
  guard(app: FastifyInstance): void {
    app.addHook('onRequest', (request, reply, done) => {
      const { page } = request.raw
      if (page === undefined) return done()
      this.#load().then((service) => service.guard(request, reply, page, done), done)
    })
  }

  /** Registers the routes for documents, files, sessions and the pulse. */
  async register(app: FastifyInstance): Promise<void> {
    await app.register(async (scope) => {
      requireKind(scope, 'data')
      const bodyLimit = BODY_LIMIT
      // Before the body is read: a caller without a session does not learn whether it is valid.
      const ofSession: RouteShorthandOptions = {
        bodyLimit,
        onRequest: async (request, reply) => (await this.#load()).exports.admit(request, reply),
      }
      const ofDevice: RouteShorthandOptions = {
        bodyLimit,
        onRequest: async (request, reply) => (await this.#load()).device.admit(request, reply),
      }
      scope.post(SESSION, { bodyLimit }, async (request, reply) => (await this.#load()).dashboard.signIn(request, reply))
      scope.get(SESSION, async (request, reply) => (await this.#load()).dashboard.read(request, reply))
      scope.delete(SESSION, async (request, reply) => (await this.#load()).dashboard.end(request, reply))
      scope.get(PULSE, async (request, reply) => (await this.#load()).dashboard.pulse(request, reply))
      scope.post(EXPORTS, ofSession, (request) => this.#load().then(({ exports }) => exports.start(request)))
      scope.post(DEVICE, { bodyLimit }, async (request, reply) => (await this.#load()).device.enrol(request, reply))
      scope.get(DEVICE, async (request, reply) => (await this.#load()).device.read(request, reply))
      scope.delete(DEVICE, async (request, reply) => (await this.#load()).device.end(request, reply))
      scope.put(OPERATOR, ofDevice, async (request, reply) => (await this.#load()).device.signIn(request, reply))
      scope.delete(OPERATOR, ofDevice, async (request, reply) => (await this.#load()).device.signOut(request, reply))
    })
    await app.register(async (scope) => {
      requireKind(scope, 'download')
      scope.get(`${EXPORTS}/:token`, { config: { readTimeoutMs: PAUSED_DOWNLOAD_MS } }, async (request, reply) =>
        (await this.#load()).exports.send(request, reply),
      )
    })
    await app.register(async (scope) => {
      // These routes match paths of data, too.
      scope.addHook('onRequest', (request, reply, done) => {
        if (request.raw.page?.kind === 'document') done()
        else reply.callNotFound()
      })
      const config = { streamBytes: FILE_BYTES, isPath: isDocumentPath }
      for (const name of APPS) {
        for (const url of [`/${name}`, `/${name}/*`])
          scope.get(url, { config }, async (request, reply) => (await this.#load()).sendPage(request, reply, name))
      }
    })
  }
}

/** Removes the API's CORS headers from responses on page paths. Call it after CORS is registered. */
export function withoutCors(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.raw.page !== undefined) {
      for (const name of Object.keys(reply.getHeaders())) if (name.startsWith('access-control-')) reply.removeHeader(name)
    }
    done()
  })
}

/** The router decodes escapes such as `/dashboard/sessio%6e`, but requests are marked by the URL as written. */
function requireKind(scope: FastifyInstance, kind: 'data' | 'download'): void {
  scope.addHook('onRequest', (request, _reply, done) => {
    if (request.raw.page?.kind === kind) return done()
    done(new ServiceError('not_found', `No route ${request.method} ${pathOf(request.originalUrl)}`))
  })
}
