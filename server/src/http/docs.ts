import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import type { CompressedAnswer } from './compressed-answer.ts'

const { resolve } = createRequire(import.meta.url)

const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'
/** Asked for again at each visit, and sent when it has changed. */
const REVALIDATED = 'no-cache'
const FOR_A_DAY = 'public, max-age=86400'

interface File {
  path: string
  type: string
  cacheControl: string
}

const ownFile = (name: string, type: string): File => ({
  path: `${import.meta.dirname}/docs-page/${name}`,
  type,
  cacheControl: REVALIDATED,
})
const packageFile = (name: string, type: string): File => ({ path: resolve(name), type, cacheControl: FOR_A_DAY })

/**
 * Swagger UI is the viewer: of it, Scalar 1.72, OpenAPI Explorer 2.4 and RapiDoc 9.3 the only one that draws under a policy without inline
 * styles, at half of Scalar's size (0.45 against 0.94 MB compressed).
 */
const FILES: Record<string, File> = {
  '/docs': ownFile('page.html', 'text/html; charset=utf-8'),
  '/docs/page.css': ownFile('page.css', STYLE),
  '/docs/start.js': ownFile('start.js', SCRIPT),
  '/docs/assets/purify.min.js': packageFile('dompurify/dist/purify.min.js', SCRIPT),
  '/docs/assets/swagger-ui.css': packageFile('swagger-ui-dist/swagger-ui.css', STYLE),
  '/docs/assets/swagger-ui-bundle.js': packageFile('swagger-ui-dist/swagger-ui-bundle.js', SCRIPT),
  '/docs/assets/favicon-32x32.png': packageFile('swagger-ui-dist/favicon-32x32.png', 'image/png'),
}

/** Nothing from elsewhere, nothing inline; HTML gets into the page through one policy, and DOMPurify's own ones. */
const CONTENT_SECURITY_POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: ['default', 'dompurify', "'allow-duplicates'"],
  },
}

/** The OpenAPI document and a page to read it; neither needs a key. */
export async function docsRoutes(app: FastifyInstance): Promise<void> {
  await app.register(helmet, { global: true, contentSecurityPolicy: CONTENT_SECURITY_POLICY })
  serveOnce(app, '/openapi.json', makeDocument, 'application/json; charset=utf-8', REVALIDATED)
  for (const [url, { path, type, cacheControl }] of Object.entries(FILES))
    serveOnce(app, url, () => readFile(path), type, cacheControl)
}

/** Made when it is first asked for, as few servers ever are, and kept. */
function serveOnce(app: FastifyInstance, url: string, make: () => Promise<Buffer>, type: string, cacheControl: string): void {
  let answer: Promise<CompressedAnswer> | undefined
  const makeAnswer = async (): Promise<CompressedAnswer> => {
    const { CompressedAnswer } = await import('./compressed-answer.ts')
    return new CompressedAnswer(await make(), type, cacheControl)
  }
  app.get(url, async (request, reply) => (await (answer ??= makeAnswer())).send(request, reply))
}

/** What makes the document takes a tenth of a start to load. */
async function makeDocument(): Promise<Buffer> {
  const { openApiDocument } = await import('../openapi/document.ts')
  return Buffer.from(JSON.stringify(openApiDocument()))
}
