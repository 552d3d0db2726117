import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { it as base } from '../../support/it.ts'
import type { TestService, TestTenant } from '../../support/service.ts'
import { cookieOf, PageClient } from '../support/page-client.ts'

/** A server of an attacker that serves an empty page at every path and permits everything. */
const it = base.extend('attackerPort', { scope: 'file' }, async ({}, { onCleanup }): Promise<number> => {
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<body></body>'))
  await once(server.listen(0), 'listening')
  onCleanup(() => void server.close())
  return (server.address() as AddressInfo).port
})

interface Victim {
  page: Page
  /** Statuses of the responses on page paths, without the document: everybody may load it, and it holds no data. */
  statuses: number[]
}

/** A browser with a session of the tenant's that opens `origin`. */
async function victim(browser: Browser, { url }: TestService, { key }: TestTenant, origin: string): Promise<Victim> {
  const context = await browser.newContext()
  const [name = '', value = ''] = cookieOf(await new PageClient(url).signIn({ key })).split('=')
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }])
  const page = await context.newPage()
  const statuses: number[] = []
  page.on('response', (response) => {
    if (response.url().startsWith(`${url}/dashboard/`)) statuses.push(response.status())
  })
  await page.goto(origin)
  return { page, statuses }
}

const PRODUCT = JSON.stringify({ name: 'Forged', barcode: 'forged' })

/** The ways of a page of another origin to have a browser send something, as code that runs in it. */
const ATTACKS: Record<string, (url: string) => string> = {
  'a form': (url) => `
    const form = document.createElement('form')
    Object.assign(form, { method: 'POST', action: '${url}/dashboard/api/v1/products', enctype: 'text/plain', target: 'frame' })
    const input = document.createElement('input')
    input.name = '${PRODUCT.slice(0, -1)},"x":"'
    input.value = '"}'
    form.append(input)
    const frame = document.createElement('iframe')
    frame.name = 'frame'
    document.body.append(frame, form)
    form.submit()
    new Promise((resolve) => frame.addEventListener('load', resolve))`,
  'fetch with JSON': (url) => `
    fetch('${url}/dashboard/api/v1/products', { method: 'POST', credentials: 'include', body: '${PRODUCT}',
      headers: { 'content-type': 'application/json', 'x-page': 'dashboard', 'x-page-mode': 'live' } }).then((r) => r.text()).catch(String)`,
  'fetch with text/plain, without preflight': (url) => `
    fetch('${url}/dashboard/api/v1/products', { method: 'POST', credentials: 'include', body: '${PRODUCT}' }).then((r) => r.text()).catch(String)`,
  'fetch no-cors': (url) => `
    fetch('${url}/dashboard/api/v1/products', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '${PRODUCT}' }).then((r) => r.text()).catch(String)`,
  'a beacon': (url) => `
    navigator.sendBeacon('${url}/dashboard/api/v1/products', '${PRODUCT}'); new Promise((resolve) => setTimeout(resolve, 300))`,
  'a sign-out': (url) => `
    fetch('${url}/dashboard/session', { method: 'DELETE', credentials: 'include' }).then((r) => r.text()).catch(String)`,
  'a sign-in with the key of the attacker': (url) => `
    fetch('${url}/dashboard/session', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"key":"KEY"}' }).then((r) => r.text()).catch(String)`,
  'reading by fetch': (url) => `
    fetch('${url}/dashboard/session', { credentials: 'include' }).then((r) => r.text()).catch(String)`,
  'an image': (url) => `
    const image = new Image()
    image.src = '${url}/dashboard/session'
    new Promise((resolve) => (image.onerror = image.onload = () => resolve(String(image.width))))`,
  'a script': (url) => `
    const script = document.createElement('script')
    script.src = '${url}/dashboard/api/v1/orders'
    document.body.append(script)
    new Promise((resolve) => (script.onerror = script.onload = resolve)).then(() => '')`,
  'a frame': (url) => `
    const frame = document.createElement('iframe')
    frame.src = '${url}/dashboard'
    document.body.append(frame)
    new Promise((resolve) => frame.addEventListener('load', resolve)).then(() => {
      try { return frame.contentDocument.body.textContent } catch (error) { return String(error) }
    })`,
}

describe.each([
  // Cookies know no ports: to the browser this is the same site, and it sends the cookie along.
  ['another port of the same host', '127.0.0.1'],
  ['another site', 'localhost'],
])('a page of %s', (_name, host) => {
  it.for(Object.entries(ATTACKS))(
    'changes and reads nothing by %s',
    async ([, attack], { browser, attackerPort, service, tenant }) => {
      const { page, statuses } = await victim(browser, service, tenant, `http://${host}:${attackerPort}/`)
      const code = attack(service.url).replace('KEY', (await service.newTenant()).key)
      const read = String(await page.evaluate(code))
      expect(read).not.toMatch(/success|expires_at|test tenant|Fulfillment/)
      expect(statuses.filter((status) => status < 300)).toEqual([])
      expect((await tenant.request('GET', '/products')).body.data.pagination.total).toBe(0)
      const { sessions } = (await tenant.request('GET', '/sessions')).body.data
      expect(sessions).toHaveLength(1)
      expect(await sessionOf(page.context(), service)).toContain(`"tenant":{"id":${tenant.id},`)
      await page.context().close()
    },
  )
})

describe('a page of the server itself', () => {
  it('reads and changes, with the headers that only it can send', async ({ browser, service, tenant }) => {
    const { page, statuses } = await victim(browser, service, tenant, `${service.url}/docs`)
    expect(await fromOwnOrigin(page)).toContain(`"id":${tenant.id}`)
    const created = await page.evaluate(`fetch('/dashboard/api/v1/products', { method: 'POST', body: '${PRODUCT}',
      headers: { 'content-type': 'application/json', 'x-page': 'dashboard', 'x-page-mode': 'live' } }).then((r) => r.status)`)
    expect([created, statuses]).toEqual([200, [200, 200]])
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.context().close()
  })

  it('cannot call without them, as by mere markup', async ({ browser, service, tenant }) => {
    const { page } = await victim(browser, service, tenant, `${service.url}/docs`)
    expect(await page.evaluate(`fetch('/dashboard/session').then((r) => r.status)`)).toBe(403)
    await page.context().close()
  })
})

/** The session of the browser's cookie, as a page of the server would read it, but without loading one. */
async function sessionOf(context: BrowserContext, { url }: TestService): Promise<string> {
  const headers = { 'x-page': 'dashboard', 'sec-fetch-site': 'same-origin' }
  return await (await context.request.get(`${url}/dashboard/session`, { headers })).text()
}

/** The session, as a page of the server reads it. */
async function fromOwnOrigin(page: Page): Promise<string> {
  return String(await page.evaluate(`fetch('/dashboard/session', { headers: { 'x-page': 'dashboard' } }).then((r) => r.text())`))
}
