import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import { loadOnce } from '../runtime/load-once.ts'
import { SOURCES } from '../sources.ts'

const { resolve } = createRequire(import.meta.url)

const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'
/** Clients revalidate at each visit, and download the file only if it has changed. */
const REVALIDATED = 'no-cache'
const FOR_A_DAY = 'public, max-age=86400'

interface File {
  path: string
  type: string
  cacheControl: string
}

const ownFile = (name: string, type: string): File => ({
  path: `${SOURCES}/http/docs-page/${name}`,
  type,
  cacheControl: REVALIDATED,
})
const packageFile = (name: string, type: string): File => ({ path: resolve(name), type, cacheControl: FOR_A_DAY })

/**
 * The viewer is Swagger UI. Of Scalar 1.72, OpenAPI Explorer 2.4, RapiDoc 9.3 and Swagger UI, it is the only one that works under a policy
 * without inline styles. It has half of Scalar's size (0.45 MB instead of 0.94 MB compressed).
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

/** No external sources and nothing inline. HTML enters the page only through one Trusted Types policy and DOMPurify's. */
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

/** The OpenAPI document and its reference page. Neither needs a key. */
export async function docsRoutes(app: FastifyInstance): Promise<void> {
  await app.register(helmet, { global: true, contentSecurityPolicy: CONTENT_SECURITY_POLICY })
  serveOnce(app, '/openapi.json', makeDocument, 'application/json; charset=utf-8', REVALIDATED)
  for (const [url, { path, type, cacheControl }] of Object.entries(FILES))
    serveOnce(app, url, () => readFile(path), type, cacheControl)
}

/** Serves a file that is made at the first request: few servers are ever asked for it. */
function serveOnce(app: FastifyInstance, url: string, make: () => Promise<Buffer>, type: string, cacheControl: string): void {
  const response = loadOnce(async () => {
    const { CompressedResponse } = await import('./body/compressed-response.ts')
    return new CompressedResponse(await make(), type, cacheControl)
  })
  app.get(url, async (request, reply) => (await response()).send(request, reply))
}

/** The modules that build the document are loaded here, because loading them takes a tenth of the start time. */
async function makeDocument(): Promise<Buffer> {
  const { openApiDocument } = await import('../openapi/document.ts')
  return Buffer.from(JSON.stringify(openApiDocument()))
}
