import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { describe, expect, inject } from 'vitest'
import { it as base } from '../../support/it.ts'
import { startServerProcess, type ServerProcess } from '../../support/server-process.ts'
import { cloneDatabase } from '../../support/test-database.ts'
import { outcome, PageClient } from '../support/page-client.ts'
import { copyServer, type ServerCopy } from '../support/server-copy.ts'

const SCRIPT = `console.log(${JSON.stringify('a'.repeat(2_000))})`
const DOCUMENT = `<!doctype html><head><meta property="csp-nonce" nonce="__CSP_NONCE__" content="__CSP_NONCE__"></head><body>dashboard</body>`
const FILES = {
  'dashboard/index.html': DOCUMENT,
  'dashboard/assets/index-a1b2c3.js': SCRIPT,
  'dashboard/assets/index-a1b2c3.css': 'body { color: red }',
  'dashboard/assets/icon-a1b2c3.svg': '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
  'dashboard/favicon.ico': 'icon',
  'dashboard/.secret.js': 'classified',
  'scan/index.html': DOCUMENT.replace('dashboard', 'scan'),
  'scan/manifest.webmanifest': '{}',
  'scan/sw.js': 'self',
  'outside.js': 'classified',
}

const it = base
  .extend('copy', { scope: 'file' }, async ({}, { onCleanup }): Promise<ServerCopy & { server: ServerProcess }> => {
    const { mkdtemp, rm } = await import('node:fs/promises')
    const folder = await mkdtemp('/tmp/fulfillment-copy-')
    const database = await cloneDatabase(inject('postgresUrl'))
    const copy = await copyServer(folder)
    const server = await startServerProcess({ DATABASE_URL: database.url, DATA_DIR: folder }, copy.main)
    onCleanup(async () => {
      await server.end('SIGTERM')
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    })
    return { ...copy, server }
  })
  .extend('url', async ({ copy }) => {
    await copy.removeBuild()
    await copy.build(FILES)
    return copy.server.url
  })

/** As a browser asks for a document. */
const NAVIGATION = { 'x-page': undefined, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', accept: 'text/html' }

async function open(url: string, path: string, method: 'GET' | 'HEAD' = 'GET', headers = {}) {
  return await new PageClient(url, NAVIGATION).send(method, path, undefined, headers)
}

const COMMON = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The policies as they are published, with the nonce of the response in the place of `NONCE`. */
const POLICIES = {
  '/dashboard':
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-NONCE'; img-src 'self' https: data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default",
  '/scan':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'nonce-NONCE'; img-src 'self' https: data: blob:; connect-src 'self'; media-src 'self' mediastream: blob:; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default scan",
}

describe('documents', () => {
  it.for([
    ['/dashboard', '/dashboard'],
    ['/dashboard/', '/dashboard'],
    ['/dashboard/sign-in', '/dashboard'],
    ['/dashboard/test/orders/17', '/dashboard'],
    ['/dashboard/sessions?page=2', '/dashboard'],
    ['/scan', '/scan'],
    ['/scan/queue', '/scan'],
  ] as const)('%s has exactly the headers of its app', async ([path, app], { url }) => {
    const { status, headers, text } = await open(url, path)
    const [, nonce = ''] = /nonce-([^']+)'/.exec(String(headers['content-security-policy'])) ?? []
    expect(nonce).toMatch(/^[A-Za-z0-9+/]{22}==$/)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      ...COMMON,
      'content-security-policy': POLICIES[app].replace('NONCE', nonce),
      'permissions-policy': `camera=${app === '/scan' ? '(self)' : '()'}, microphone=(), geolocation=(), payment=(), usb=()`,
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
    })
    expect(headers['set-cookie']).toBeUndefined()
    expect(text).toContain(`nonce="${nonce}" content="${nonce}"`)
    expect(text).toContain(`<body>${app.slice(1)}</body>`)
  })

  it('each have a nonce of their own', async ({ url }) => {
    const nonces = await Promise.all(
      Array.from({ length: 20 }, async () => /nonce="([^"]+)"/.exec((await open(url, '/dashboard')).text)?.[1]),
    )
    expect(new Set(nonces).size).toBe(20)
  })

  it('have headers for HEAD, and go out in no other way', async ({ url }) => {
    const head = await open(url, '/dashboard', 'HEAD')
    expect([head.status, head.text, head.headers['x-frame-options']]).toEqual([200, '', 'DENY'])
    for (const path of [
      '/dashboard/index.html',
      '/dashboard/INDEX.HTML',
      '/dashboard/index.html.br',
      '/dashboard/assets/../index.html',
    ])
      expect((await open(url, path)).status, path).toBe(404)
  })

  it('are new when the pages were built again', async ({ copy, url }) => {
    expect((await open(url, '/dashboard')).text).toContain('dashboard')
    await copy.build({ 'dashboard/index.html': 'built again' })
    expect((await open(url, '/dashboard')).text).toBe('built again')
  })
})

describe('files', () => {
  it.for([
    ['/dashboard/assets/index-a1b2c3.js', 'text/javascript', 'public, max-age=31536000, immutable'],
    ['/dashboard/assets/index-a1b2c3.css', 'text/css', 'public, max-age=31536000, immutable'],
    ['/dashboard/assets/icon-a1b2c3.svg', 'image/svg+xml', 'public, max-age=31536000, immutable'],
    ['/dashboard/favicon.ico', 'image/', 'no-cache'],
    ['/scan/manifest.webmanifest', 'application/manifest+json', 'no-cache'],
    ['/scan/sw.js', 'text/javascript', 'no-cache'],
  ] as const)('%s is sent with its type, to be kept as long as it is good', async ([path, type, cache], { url }) => {
    const { status, headers } = await new PageClient(url, NAVIGATION).send('GET', path)
    expect(status).toBe(200)
    expect(headers).toMatchObject({ ...COMMON, 'cache-control': cache, 'content-type': expect.stringContaining(type) })
    expect(headers['service-worker-allowed']).toBe(path === '/scan/sw.js' ? '/scan' : undefined)
    const again = await open(url, path, 'GET', { 'if-none-match': String(headers.etag) })
    expect([again.status, again.text]).toEqual([304, ''])
  })

  it.for([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1, br;q=0', 'gzip'],
    ['', undefined],
    ['identity', undefined],
    ['zstd', undefined],
  ] as const)('for Accept-Encoding: %s are sent as %s', async ([accepted, encoding], { url }) => {
    const { statusCode, headers, body } = await request(`${url}/dashboard/assets/index-a1b2c3.js`, {
      headers: { 'accept-encoding': accepted },
    })
    const bytes = Buffer.from(await body.arrayBuffer())
    expect([statusCode, headers['content-encoding'], headers.vary]).toEqual([200, encoding, 'Accept-Encoding'])
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
    const plain = encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes
    expect(plain.toString()).toBe(SCRIPT)
    if (encoding !== undefined) expect(bytes.length).toBeLessThan(200)
  })

  it.for([
    '/dashboard/assets/gone-a1b2c3.js',
    '/dashboard/orders.json',
    '/dashboard/.secret.js',
    '/dashboard/../outside.js',
    '/dashboard/%2e%2e/outside.js',
    '/dashboard/..%2foutside.js',
    '/dashboard/assets/..%5c..%5coutside.js',
    '/dashboard/assets/../../outside.js',
    '/dashboard//etc/passwd.js',
    '/dashboard/assets/index-a1b2c3.js.br',
    '/dashboard/assets/index-a1b2c3.js%00',
    '/dashboard/assets',
    '/scan/assets/index-a1b2c3.js',
  ])('%s is no file of the app', async (path, { url }) => {
    const response = await open(url, path)
    expect(response.text).not.toContain('classified')
    expect(response.status === 404 || response.text.includes('<body>dashboard</body>'), `${response.status}`).toBe(true)
    if (path.includes('.')) expect(outcome(response)).toEqual([404, 'not_found'])
  })
})

describe('other requests on page paths', () => {
  const page = (path: string) => ({ 'x-page': path.split('/', 2)[1] })

  it.for(['/dashboard', '/dashboard/orders', '/scan', '/scan/queue'])('%s takes GET and HEAD alone', async (path, { url }) => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const response = await new PageClient(url, page(path)).send(method, path)
      expect([...outcome(response), response.headers.allow], method).toEqual([405, 'method_not_allowed', 'GET, HEAD'])
    }
  })

  it.for([
    '/dashboard/api',
    '/dashboard/api/v1',
    '/dashboard/api/v1/nothing',
    '/dashboard/pulse/x',
    '/dashboard/exports/x/y',
    '/dashboard/session/x',
    '/scan/api',
    '/scan/api/v1/nothing',
    '/scan/session/x',
    '/scan/exports',
  ])('%s is no document, and nothing else', async (path, { url }) => {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
      const { status, headers } = await new PageClient(url, page(path)).send(method, path)
      expect([status, headers.allow], method).toEqual([404, undefined])
    }
  })

  it.for([
    ['GET', '/dashboard/exports', 'POST'],
    ['PUT', '/dashboard/exports', 'POST'],
    ['POST', '/dashboard/exports/x', 'GET, HEAD'],
    ['POST', '/dashboard/pulse', 'GET, HEAD'],
    ['PUT', '/dashboard/session', 'POST, GET, HEAD, DELETE'],
    ['GET', '/scan/session/operator', 'PUT, DELETE'],
    ['POST', '/scan/session/operator', 'PUT, DELETE'],
  ] as const)('%s %s: names the methods of the path', async ([method, path, allow], { url }) => {
    const response = await new PageClient(url, page(path)).send(method, path)
    expect([...outcome(response), response.headers.allow]).toEqual([405, 'method_not_allowed', allow])
  })

  it('paths that only begin alike are none of the pages', async ({ url }) => {
    for (const path of ['/dashboards', '/scanner', '/dashboard.js', '/docs/dashboard'])
      expect(outcome(await open(url, path)), path).toEqual([404, 'not_found'])
    expect((await open(url, '/docs')).status).toBe(200)
  })
})

describe('pages that are not built', () => {
  const MESSAGE = 'The pages are not built: run npm run build'

  it('say so, as a page to a person, and the API is as ever', async ({ copy, url }) => {
    await copy.removeBuild()
    for (const path of ['/dashboard', '/dashboard/orders', '/scan']) {
      const shown = await open(url, path)
      expect([shown.status, shown.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8'])
      expect(shown.text).toContain(MESSAGE)
      expect(shown.headers['retry-after']).toBe('10')
      const told = await new PageClient(url).send('GET', path)
      expect([told.status, told.body.error]).toEqual([503, { code: 'service_unavailable', message: MESSAGE }])
      expect(told.headers['retry-after']).toBe('10')
    }
    for (const path of ['/dashboard/assets/index-a1b2c3.js', '/scan/sw.js']) {
      const response = await new PageClient(url).send('GET', path)
      expect([...outcome(response), response.headers['retry-after']], path).toEqual([503, 'service_unavailable', '10'])
    }
    expect((await open(url, '/readyz')).status).toBe(200)
    expect(outcome(await new PageClient(url).send('GET', '/api/v1/orders'))).toEqual([401, 'missing_api_key'])
    await copy.build(FILES)
    expect((await open(url, '/dashboard')).status).toBe(200)
  })

  it('make the first start print what builds them instead of a link', async ({ copy }) => {
    // No build was there when this server started.
    await copy.server.printed(/Dashboard \(not built\) {11}run npm run build, then npx fulfillment dashboard-link/)
    expect(copy.server.output()).not.toContain('#code=')
  })
})

describe('over plain HTTP off loopback', () => {
  base('there is no Cross-Origin-Opener-Policy, which browsers would log as an error', async ({ startService }) => {
    const opener = async (publicUrl: string) => {
      const service = await startService({ publicUrl })
      const { headers } = await new PageClient(service.url, { host: new URL(publicUrl).host }).send('GET', '/dashboard')
      return headers['cross-origin-opener-policy']
    }
    expect(await opener('http://stock.example')).toBeUndefined()
    expect(await opener('https://stock.example')).toBe('same-origin')
    expect(await opener('http://localhost:3000')).toBe('same-origin')
  })
})
