import { createRequire } from 'node:module'
import path from 'node:path'
import helmet from '@fastify/helmet'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const assets = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const ASSET_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fulfillment and Inventory API</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#api', deepLinking: true, docExpansion: 'list', defaultModelsExpandDepth: 0, persistAuthorization: true, validatorUrl: null })
`

/** The OpenAPI document and a page to read it; neither needs a key. */
export async function docsRoutes(app: FastifyInstance): Promise<void> {
  await app.register(helmet, { global: true, contentSecurityPolicy: false })
  let document: Promise<string> | undefined
  app.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(await (document ??= makeDocument())),
  )
  app.get('/docs', async (_request, reply) => reply.type('text/html; charset=utf-8').send(PAGE))
  app.get('/docs/start.js', async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(START))
  for (const file of ASSET_FILES) app.get(`/docs/assets/${file}`, (request, reply) => sendAsset(file, request, reply))
}

/** Loaded when the page is first asked for, as few servers ever are. */
async function sendAsset(file: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { default: send } = await import('@fastify/send')
  const { statusCode, headers, stream } = await send(request.raw, file, { root: assets, maxAge: '1d' })
  return reply.code(statusCode).headers(headers).send(stream)
}

/** Made when it is first asked for: it takes a tenth of a start, and what makes it stays in memory. */
async function makeDocument(): Promise<string> {
  const { openApiDocument } = await import('../openapi/document.ts')
  return JSON.stringify(openApiDocument())
}
