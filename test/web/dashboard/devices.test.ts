import { describe, expect } from 'vitest'
import { it } from '../support/browser.ts'
import { seed, signIn } from '../support/page-server.ts'
import { focusedName } from '../support/keyboard.ts'
import { newOperator, ScanClient } from '../support/scan-client.ts'
import { readBarcode } from '../support/read-barcode.ts'

describe('devices', () => {
  it('are enrolled with a code that scanners read, listed with their operator, and ended', async ({ window, tenant }) => {
    const operator = await newOperator(tenant, { name: 'Grace' })
    const { page } = window
    await signIn(page, tenant.key, '/devices')
    await page.getByText('No devices yet.').waitFor()
    await page.getByRole('button', { name: 'Enrol a device' }).click()
    const dialog = page.getByRole('dialog', { name: 'Enrol a device' })
    await dialog.getByRole('textbox', { name: 'Device name' }).fill('Handheld 3')
    await dialog.getByRole('button', { name: 'Make a code' }).click()
    const code = await dialog.getByRole('textbox', { name: 'Enrolment code' }).inputValue()
    const address = `${tenant.url}/scan#code=${code}`
    await dialog.getByText(address).waitFor()
    await dialog.getByText('This address works on this machine only.').waitFor()
    expect(await readBarcode(dialog.getByRole('img', { name: 'QR code' }))).toEqual(['QRCode', address])
    expect(await readBarcode(dialog.getByRole('img', { name: 'Barcode' }))).toEqual(['Code128', address])

    const device = new ScanClient(tenant.url)
    expect((await device.enrol(code)).status).toBe(200)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('cell', { name: 'Handheld 3', exact: true }).waitFor()
    expect((await device.scanBadge(operator)).status).toBe(200)
    await page.getByRole('cell', { name: 'Grace' }).waitFor()
    await page.getByText('1 device', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'End session of Handheld 3' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
    await page.getByRole('status').getByText('Ended 1 session').last().waitFor()
    await page.getByText('No devices yet.').waitFor()
    await expect.poll(async () => (await device.send('GET', '/scan/session')).status).toBe(401)
  })

  it('of the sandbox are listed and ended in test mode, and not among those of live data', async ({ window, tenant }) => {
    const { page } = window
    await signIn(page, tenant.key, '/test/devices')
    await page.getByRole('button', { name: 'Enrol a device' }).click()
    const dialog = page.getByRole('dialog', { name: 'Enrol a device' })
    await dialog.getByRole('textbox', { name: 'Device name' }).fill('Trial')
    await dialog.getByRole('button', { name: 'Make a code' }).click()
    const device = new ScanClient(tenant.url)
    expect((await device.enrol(await dialog.getByRole('textbox', { name: 'Enrolment code' }).inputValue())).status).toBe(200)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('1 device', { exact: true }).waitFor()
    await page.goto(`${tenant.url}/dashboard/sessions`)
    await page.getByRole('cell', { name: 'Trial Test', exact: true }).waitFor()
    await page.goto(`${tenant.url}/dashboard/devices`)
    await page.getByText('No devices yet.').waitFor()
    await page.goto(`${tenant.url}/dashboard/test/devices`)
    await page.getByRole('button', { name: 'End session of Trial' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
    await page.getByText('No devices yet.').waitFor()
    await expect.poll(async () => (await device.send('GET', '/scan/session')).status).toBe(401)
  })

  it('have the rights of a key that may be chosen; the server says which', async ({ window, tenant }) => {
    window.expectComplaint(/404/)
    const key = await seed(tenant, '/api-keys', { name: 'Handhelds', preset: 'erp_sync' })
    const { page } = window
    await signIn(page, tenant.key, '/devices')
    await page.getByRole('button', { name: 'Enrol a device' }).click()
    const dialog = page.getByRole('dialog', { name: 'Enrol a device' })
    await dialog.getByRole('textbox', { name: 'Device name' }).fill('Handheld 3')
    await dialog.getByRole('combobox', { name: 'Key' }).fill('4711')
    await dialog.getByRole('combobox', { name: 'Key' }).press('Enter')
    await dialog.getByRole('button', { name: 'Make a code' }).click()
    await dialog.getByRole('alert').getByText('API key not found').waitFor()
    // Of a name that is no key's, the code would have the rights of the session's own key.
    await dialog.getByRole('combobox', { name: 'Key' }).fill('Handheld')
    await dialog.getByRole('combobox', { name: 'Key' }).press('Tab')
    await dialog.getByRole('alert').getByText('No key, or more than one, is called Handheld').waitFor()
    await dialog.getByRole('button', { name: 'Make a code' }).click()
    await expect.poll(() => focusedName(page)).toBe('Key')
    await dialog.getByRole('combobox', { name: 'Key' }).fill('Handh')
    await page.getByRole('option', { name: /Handhelds/ }).click()
    await dialog.getByRole('button', { name: 'Make a code' }).click()
    await dialog.getByRole('textbox', { name: 'Enrolment code' }).waitFor()
    const { entries } = (await tenant.request('GET', '/audit-log?operation=devices.createCode')).body.data
    expect(entries[0].input).toEqual({ device_name: 'Handheld 3', key_id: key.id })
  })
})

describe('sheets to print', () => {
  it('have a label of each location that scanners read', async ({ window, tenant }) => {
    const { id } = await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    const locations = ['A-01-03', 'BULK storage, row 7 / left', 'Łódź']
    await seed(tenant, '/stock/bulk', {
      updates: locations.map((location_id) => ({ product_id: id, location_id, quantity: 1 })),
    })
    await seed(tenant, '/locations/A-01-03', { code: 'A-01-04', name: 'Top shelf' }, 'PUT')
    const { page } = window
    await page.emulateMedia({ colorScheme: 'dark' })
    await signIn(page, tenant.key, '/locations')
    await page.getByRole('link', { name: 'Print labels' }).click()
    await page.getByRole('heading', { name: 'Location labels' }).waitFor()
    await page.getByText('3 locations', { exact: true }).waitFor()
    for (const code of ['A-01-04', 'BULK storage, row 7 / left']) {
      expect(await readBarcode(page.getByRole('img', { name: `Barcode ${code}` }))).toEqual(['Code128', code])
    }
    const labels = page.getByRole('main').getByRole('listitem')
    expect(await labels.allInnerTexts()).toEqual([
      'A-01-04\nTop shelf',
      'BULK storage, row 7 / left',
      'Code 128 cannot hold this text.\n\nŁódź',
    ])
    await page.emulateMedia({ media: 'print' })
    for (const part of ['banner', 'navigation', 'button'] as const)
      expect([part, await page.getByRole(part).count()]).toEqual([part, 0])
    expect(await labels.count()).toBe(3)
  })

  it('have no label of another page, where several locations have one code', async ({ window: { page }, tenant }) => {
    const { id } = await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    const locations = Array.from({ length: 103 }, (_, n) => `L-${String(n).padStart(3, '0')}`)
    for (const some of [locations.slice(0, 60), locations.slice(60)])
      await seed(tenant, '/stock/bulk', { updates: some.map((location_id) => ({ product_id: id, location_id, quantity: 1 })) })
    for (const location of ['L-000', 'L-001']) await seed(tenant, `/locations/${location}`, { code: 'AISLE' }, 'PUT')
    await signIn(page, tenant.key, '/locations/labels')
    const labels = page.getByRole('main').getByRole('listitem')
    await expect.poll(() => labels.count()).toBe(100)
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect.poll(() => labels.allInnerTexts()).toEqual(['L-100', 'L-101', 'L-102'])
  })

  it('have the commands of the scan app', async ({ window, tenant }) => {
    const { page } = window
    await signIn(page, tenant.key, '/devices')
    await page.getByRole('link', { name: 'Command barcodes' }).click()
    await page.getByRole('heading', { name: 'Command barcodes' }).waitFor()
    for (const command of ['FC-OK', 'FC-ALL', 'FC-CONFIRM', 'FC-SHORT', 'FC-SKIP', 'FC-UNDO', 'FC-FINISH']) {
      expect(await readBarcode(page.getByRole('img', { name: `Barcode ${command}` }))).toEqual(['Code128', command])
    }
    expect(await page.getByRole('main').getByRole('listitem').count()).toBe(7)
    const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g)
    expect(pages).toHaveLength(1)
  })
})
