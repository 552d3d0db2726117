import { expect } from 'vitest'
import { newOrder } from '../../support/orders.ts'
import { stockedProduct } from '../../support/picking.ts'
import { it } from '../support/browser.ts'
import { seed } from '../support/page-server.ts'
import { enrolledDevice, newOperator } from '../support/scan-device.ts'

const DAY_MS = 86_400_000
const DAWN_IN_KIRITIMATI = 10

it('orders and deliveries are overdue when their day is over where the device is, whatever the day in UTC', async ({
  openWindow,
  tenant,
}) => {
  // At any moment, one of them has another day than UTC.
  const timezoneId = new Date().getUTCHours() < DAWN_IN_KIRITIMATI ? 'Pacific/Honolulu' : 'Pacific/Kiritimati'
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: timezoneId })
  const [yesterday, today] = [format.format(Date.now() - DAY_MS), format.format()]
  const ada = await newOperator(tenant, 'Ada')
  const tea = await stockedProduct(tenant, { 'A-1': 9 })
  for (const day of [yesterday, today]) {
    const order_detail = [{ barcode: tea.barcode, quantity: 1 }]
    await newOrder(tenant, { order_tenant_id: day, assembly_date: day, order_detail })
    await seed(tenant, '/inbound', { reference: day, expected_at: day, lines: [{ product_id: tea.id, quantity: 1 }] })
  }
  const { page } = await openWindow({ timezoneId })
  await enrolledDevice(page, tenant, ada)
  const expectOverdue = async (list: string): Promise<void> => {
    const rows = page.getByRole('list', { name: list }).getByRole('listitem')
    await rows.nth(1).waitFor()
    expect(await rows.filter({ hasText: 'Overdue: ' }).getByRole('button').allTextContents()).toEqual([
      expect.stringContaining(yesterday),
    ])
  }
  await expectOverdue('Orders to pick')
  await page.getByRole('button', { name: 'Receive', exact: true }).click()
  await expectOverdue('Deliveries to receive')
})
