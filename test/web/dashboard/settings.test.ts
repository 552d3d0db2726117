import { describe, expect } from 'vitest'
import { reserve } from '../../support/reservations.ts'
import { axe } from '../support/axe.ts'
import { it, type TestTenant } from '../support/browser.ts'
import { clipboardOf, seed, signIn } from '../support/page-server.ts'

const settingsOf = async (tenant: TestTenant) => (await tenant.request('GET', '/settings')).body.data

describe('the reservation policy', () => {
  it('is turned on, with its progress, and turned off after a question', async ({ service, window: { page }, tenant }) => {
    const { id } = await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A-01', quantity: 3 }] })
    const order = { order_tenant_id: 'SHOP-1', assembly_date: '2030-01-01', order_detail: [{ barcode: '1', quantity: 2 }] }
    await seed(tenant, '/orders', order)
    await signIn(page, tenant.key, '/settings')
    const policy = page.getByRole('radiogroup', { name: 'Reservation policy' })
    await policy.getByRole('radio', { name: 'Track' }).check({ force: true })
    await page.getByText('Open orders reserve at once').waitFor()
    const form = page.getByRole('form', { name: 'Reservation policy' })
    await form.getByRole('button', { name: 'Copy as curl' }).click()
    expect(await clipboardOf(page)).toMatch(/^curl -X PUT .*\/settings' .*-d '\{"reservation_policy":"track"\}'$/)
    // The switch waits for the lock of what it is to reserve.
    const blocker = await service.db.dedicatedPool.connect()
    await blocker.query('begin')
    await blocker.query('select from warehouse_stock where tenant_id = $1 for update', [tenant.id])
    await form.getByRole('button', { name: 'Save policy' }).click()
    await page.getByRole('status').getByText('The reservation policy is Track').last().waitFor()
    await page.getByRole('progressbar', { name: 'Switching' }).waitFor()
    expect(await axe(page)).toEqual([])
    expect(await settingsOf(tenant)).toMatchObject({ reservation_policy: 'track', reservation_state: 'switching' })
    await blocker.query('rollback')
    blocker.release()
    await page.getByRole('status').getByText('All open orders have reserved').last().waitFor()
    expect(await page.getByRole('progressbar').count()).toBe(0)
    expect(await settingsOf(tenant)).toMatchObject({ reservation_policy: 'track', reservation_state: 'ready' })

    await policy.getByRole('radio', { name: 'Strict' }).check({ force: true })
    await page.getByText('What is reserved stays as it is.').waitFor()
    await form.getByRole('button', { name: 'Save policy' }).click()
    await page.getByRole('status').getByText('The reservation policy is Strict').last().waitFor()

    await policy.getByRole('radio', { name: 'Off' }).check({ force: true })
    await form.getByRole('button', { name: 'Save policy' }).click()
    const dialog = page.getByRole('dialog', { name: 'Turn off reserving' })
    await dialog.getByText('All reservations end and all holds are released.').waitFor()
    await dialog.getByRole('button', { name: 'Back' }).click()
    expect(await settingsOf(tenant)).toMatchObject({ reservation_policy: 'strict' })
    await form.getByRole('button', { name: 'Save policy' }).click()
    await dialog.getByRole('button', { name: 'Turn off reserving' }).click()
    await page.getByRole('status').getByText('The reservation policy is Off').last().waitFor()
    expect(await settingsOf(tenant)).toMatchObject({ reservation_policy: 'off' })
  })

  it('can be seen but not changed by a key without admin; a key that cannot read it is told so', async ({ window, tenant }) => {
    await reserve(tenant, 'track')
    const { page } = window
    window.expectComplaint(/403/)
    await signIn(page, await tenant.createKey({ name: 'stock', scopes: ['read:stock', 'write:stock'] }), '/settings')
    const radio = page.getByRole('radio', { name: 'Track' })
    await radio.waitFor()
    expect(await radio.isChecked()).toBe(true)
    for (const name of ['Save policy', 'Save weight barcodes']) {
      const save = page.getByRole('button', { name })
      expect([name, await save.isDisabled()]).toEqual([name, true])
      const reason = await save.getAttribute('aria-describedby')
      expect(await page.locator(`[id="${reason}"]`).textContent()).toBe('This key lacks admin')
    }
    await signIn(page, await tenant.createKey({ name: 'orders', scopes: ['read:orders'] }), '/settings')
    await page.getByRole('alert').getByText('This key lacks read:stock').waitFor()
    expect(await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).count()).toBe(0)
  })
})

describe('weight barcodes', () => {
  it("are added, changed and removed, with the server's message at its field", async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/400/)
    await signIn(page, tenant.key, '/settings')
    const form = page.getByRole('form', { name: 'Weight barcodes' })
    await form.getByRole('button', { name: 'Add a pattern' }).click()
    const patterns = form.getByRole('textbox', { name: 'Pattern' })
    await patterns.fill('21IIIII')
    await form.getByRole('button', { name: 'Save weight barcodes' }).click()
    await form.getByRole('alert').waitFor()
    expect(await patterns.getAttribute('aria-invalid')).toBe('true')
    // The message goes with its pattern.
    await form.getByRole('button', { name: 'Add a pattern' }).click()
    await form.getByRole('button', { name: 'Remove pattern 21IIIII' }).click()
    await expect.poll(() => patterns.count()).toBe(1)
    expect(await patterns.getAttribute('aria-invalid')).not.toBe('true')
    await patterns.fill('21IIIIIWWWWWC')
    await form.getByRole('button', { name: 'Add a pattern' }).click()
    await patterns.nth(1).fill('22IIIIIWWWWWC')
    await form.getByRole('spinbutton', { name: 'Decimals of the weight' }).nth(1).fill('2')
    await form.getByRole('button', { name: 'Save weight barcodes' }).click()
    await page.getByRole('status').getByText('Saved the weight barcodes').last().waitFor()
    expect((await settingsOf(tenant)).weight_barcodes).toEqual([
      { pattern: '21IIIIIWWWWWC', decimals: 3 },
      { pattern: '22IIIIIWWWWWC', decimals: 2 },
    ])
    await form.getByRole('button', { name: 'Remove pattern 21IIIIIWWWWWC' }).click()
    await form.getByRole('button', { name: 'Save weight barcodes' }).click()
    await expect.poll(async () => (await settingsOf(tenant)).weight_barcodes).toEqual([{ pattern: '22IIIIIWWWWWC', decimals: 2 }])
    await page.reload()
    await expect.poll(() => patterns.inputValue()).toBe('22IIIIIWWWWWC')
  })
})
