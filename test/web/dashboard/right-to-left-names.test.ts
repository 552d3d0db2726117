import { describe, expect } from 'vitest'
import { isolated } from '../../../web/shared/texts/isolated.ts'
import { it } from '../support/browser.ts'
import { drawn } from '../support/drawn.ts'
import { seed, signIn } from '../support/page-server.ts'

const TEA = 'شاي أخضر 500'

describe('names in right-to-left scripts', () => {
  it.for([
    ['Green tea, 500 g', 'Green tea, 500 g'],
    ['Grüner Tee № 5 «茶»', 'Grüner Tee № 5 «茶»'],
    [TEA, `\u2068${TEA}\u2069`],
    ['תה ירוק', '\u2068תה ירוק\u2069'],
    ['𞤀𞤣𞤤𞤢𞤥', '\u2068𞤀𞤣𞤤𞤢𞤥\u2069'],
    ['Tea\u202Eaet', '\u2068Tea\u202Eaet\u2069'],
    // What would end the isolate before its end, or keep it open.
    ['Tea\u2069\u202Eaet', '\u2068Tea\u202Eaet\u2069'],
    ['Tea \u2067(x', '\u2068Tea \u2067(x\u2069\u2069'],
    ['\u2067Tea\u2069', '\u2068\u2067Tea\u2069\u2069'],
  ] as const)('%j is %j inside of a sentence', ([name, text]) => {
    expect(isolated(name)).toBe(text)
  })

  it.for([TEA, 'Tea\u202E', 'Tea\u2069\u202E'])(
    '%j leaves the numbers beside it in their places',
    async (name, { window: { page }, tenant }) => {
      const { id } = await seed(tenant, '/products', { name, barcode: '1' })
      await seed(tenant, '/locations', { id: 'DOCK' })
      const delivery = await seed(tenant, '/inbound', { lines: [{ product_id: id, quantity: 10 }] })
      await seed(tenant, `/inbound/${delivery.id}/receipts`, { product_id: id, quantity: 2, location_id: 'DOCK' })
      await signIn(page, tenant.key, `/inbound/${delivery.id}`)
      await page.getByRole('button', { name: 'Receive' }).click()
      const button = page.getByRole('dialog', { name: 'Receive' }).getByRole('button', { name: 'Line' })
      const valueId = await button.getAttribute('aria-describedby')
      expect(await drawn(page.locator(`[id="${valueId}"]`))).toMatch(/: 2 of 10$/)
    },
  )

  it('leave the changes of a timeline in their places, also for a key that sees no links to products', async ({
    window: { page },
    tenant,
  }) => {
    const { id } = await seed(tenant, '/products', { name: TEA, barcode: '1' })
    await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: '7', quantity: 5 }] })
    const order = { order_tenant_id: 'SHOP-1', assembly_date: '2030-01-15', order_detail: [{ barcode: '1', quantity: 2 }] }
    const orderId = (await seed(tenant, '/orders', order)).orders[0].id
    const flow = await seed(tenant, '/flows', { order_id: orderId, operator_email: 'ada@example.com' })
    await seed(tenant, `/flows/${flow.id}/picks`, { barcode: '1', location_id: '7', quantity: 2, pick_id: 'scan-1' })
    await signIn(page, await tenant.createKey({ name: 'Office', scopes: ['read:orders', 'read:stock'] }), `/orders/${orderId}`)
    const entry = page.getByRole('list', { name: 'Timeline' }).getByRole('paragraph').filter({ hasText: TEA })
    await entry.waitFor()
    expect(await drawn(entry)).toMatch(/500.* −2 at 7/)
  })
})
