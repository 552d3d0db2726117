import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { respondWith } from '../../support/receiver.ts'
import { it, type TestTenant } from '../support/browser.ts'
import { goToScreen } from '../support/open-screen.ts'
import { seed, signIn } from '../support/page-server.ts'
import { enrolled } from '../support/scan-client.ts'

/** Markup that would run in any of the ways in which text becomes markup. */
const markup = (field: string): string => `"'><img src=x onerror=mark()><svg onload=mark()>${field}`

/** Records with markup in every text that a caller or a receiver can give. Returns the addresses of their screens. */
async function fill(tenant: TestTenant, receiver: string): Promise<string[]> {
  const product = await seed(tenant, '/products', {
    name: markup('name'),
    barcode: markup('barcode'),
    sku: markup('sku'),
    description: markup('description'),
    category: markup('category'),
    photo_url: 'http://photos.example/"><script>mark()</script>',
    minimum_threshold: 10,
  })
  const location_id = markup('location')
  await seed(tenant, '/stock/adjustment', {
    product_id: product.id,
    location_id,
    adjustment_quantity: 5,
    reason: markup('reason'),
  })
  await seed(tenant, `/locations/${encodeURIComponent(location_id)}`, { code: markup('code'), name: markup('name') }, 'PUT')
  await seed(tenant, '/warehouses', { name: markup('warehouse') })
  const { orders } = await seed(tenant, '/orders', {
    order_tenant_id: markup('identifier'),
    assembly_date: '2030-01-01',
    customer_name: markup('customer'),
    shipping_address: markup('address'),
    order_detail: [{ barcode: markup('barcode'), quantity: 1 }],
  })
  const flow = await seed(tenant, '/flows', { order_id: orders[0].id, operator_email: '<svg onload=mark()>ada@example.com' })
  await seed(tenant, `/flows/${flow.id}/picks`, { barcode: markup('barcode'), location_id, quantity: 1 })
  await enrolled(tenant, { device_name: markup('device') })
  await seed(tenant, '/operators', { name: markup('operator'), email: '<svg/onload=mark()>ada@example.com' })
  const webhook = await seed(tenant, '/webhooks', { name: markup('webhook'), url: `${receiver}?${markup('url')}`, events: ['*'] })
  const delivery = await seed(tenant, `/webhooks/${webhook.id}/test`, {})
  const key = await seed(tenant, '/api-keys', { name: markup('key'), preset: 'read_only' })
  const { events } = (await tenant.request('GET', '/events?event=product/created')).body.data
  return [
    '/products',
    `/products/${product.id}`,
    '/stock',
    '/movements',
    '/locations',
    '/locations/labels',
    '/orders',
    `/orders/${orders[0].id}`,
    '/picking',
    `/picking/${flow.id}`,
    '/operators',
    '/devices',
    '/webhooks',
    `/webhooks/${webhook.id}`,
    `/webhooks/${webhook.id}/deliveries/${delivery.id}`,
    '/events',
    `/events/${events[0].id}`,
    '/keys',
    `/keys/${key.id}`,
    '/usage',
    '/audit',
    '/sessions',
    `/orders?customer=${encodeURIComponent(markup('filter'))}`,
    `/nowhere/${encodeURIComponent(markup('path'))}`,
  ]
}

/** Elements that the markup would make. */
const foreign = (page: Page): Promise<number> => page.locator('img[src="x"], [onload], [onerror], main script').count()

/** Usage of the key comes later; a filter and an address are no text. */
const TEXTLESS = /^\/(usage|nowhere|orders\?)/

it('markup in the data is text on every screen', async ({ openWindow, tenant, receiver }) => {
  receiver.behave(respondWith(500, { 'content-type': 'text/html' }, markup('response')))
  const paths = await fill(tenant, receiver.url)
  const { page } = await openWindow({ userAgent: `Mozilla/5.0 ${markup('agent')}` })
  let marked = 0
  await page.exposeFunction('mark', () => marked++)
  await signIn(page, tenant.key, '/orders')
  for (const path of paths) {
    await goToScreen(page, path)
    expect([path, await foreign(page)]).toEqual([path, 0])
    if (!TEXTLESS.test(path))
      await expect.poll(() => page.getByText('onload=mark()').count(), { message: path }).toBeGreaterThan(0)
  }
  expect(marked).toBe(0)
})

it('a photo at an http address is a link that tells nothing of the dashboard', async ({ window, tenant, service }) => {
  const { page } = window
  await page.route('https://photos.example/**', (route) => route.fulfill({ contentType: 'image/svg+xml', body: SVG }))
  await seed(tenant, '/products', { name: 'Tea', barcode: '1', photo_url: 'http://photos.example/tea.png' })
  await seed(tenant, '/products', { name: 'Coffee', barcode: '2', photo_url: 'https://photos.example/coffee.png' })
  // The API refuses such an address. A database may have it nevertheless.
  const { id } = await seed(tenant, '/products', { name: 'Cocoa', barcode: '3' })
  await service.db.dedicatedPool.query(`update products set photo_url = 'javascript:mark()' where id = $1`, [id])
  await signIn(page, tenant.key, '/products')
  const odd = page.getByRole('row', { name: /Cocoa/ })
  await odd.getByText('javascript:mark()').waitFor()
  expect(await odd.getByRole('link').allTextContents()).toEqual(['Cocoa'])
  const link = page.getByRole('row', { name: /Tea/ }).getByRole('link', { name: 'Photo' })
  expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([
    'http://photos.example/tea.png',
    'noreferrer noopener',
  ])
  const photo = page.getByRole('row', { name: /Coffee/ }).locator('img')
  await expect.poll(() => photo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
})

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"></svg>'

it('the page makes no markup from text, but for the empty text', async ({ window, tenant }) => {
  const { page } = window
  await signIn(page, tenant.key, '/orders')
  const outcomes = await page.evaluate(() => {
    const attempt = (work: () => void): string => {
      try {
        work()
        return 'done'
      } catch (error) {
        return (error as Error).name
      }
    }
    const { trustedTypes } = globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } }
    const element = document.createElement('div')
    return {
      empty: attempt(() => (element.innerHTML = '')),
      markup: attempt(() => (element.innerHTML = '<b>text</b>')),
      script: attempt(() => (document.createElement('script').src = 'https://evil.example/a.js')),
      policy: attempt(() => trustedTypes.createPolicy('another', { createHTML: (text: string) => text })),
      again: attempt(() => trustedTypes.createPolicy('default', { createHTML: (text: string) => text })),
    }
  })
  expect(outcomes).toEqual({ empty: 'done', markup: 'TypeError', script: 'TypeError', policy: 'TypeError', again: 'TypeError' })
  window.expectComplaint(/Content Security Policy|Trusted/)
})
