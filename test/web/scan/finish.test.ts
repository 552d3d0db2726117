import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { newOrder } from '../../support/orders.ts'
import { expectConsistentPicking, stockedProduct, stockOf } from '../../support/picking.ts'
import { it as base } from '../support/browser.ts'
import { type Device, enrolledDevice, newOperator } from '../support/scan-device.ts'

/** A device on an order of 3 × Tea at A-1 and 2 × Cup at B-1. */
const it = base.extend('picking', async ({ window: { page }, tenant }) => {
  const tea = await stockedProduct(tenant, { 'A-1': 5 }, { name: 'Tea' })
  const cup = await stockedProduct(tenant, { 'B-1': 5 }, { name: 'Cup' })
  const order = await newOrder(tenant, {
    order_detail: [
      { barcode: tea.barcode, quantity: 3 },
      { barcode: cup.barcode, quantity: 2 },
    ],
  })
  const device: Device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await device.scan(order.order_tenant_id)
  await device.scan('A-1')
  const state = async () => (await tenant.request('GET', `/orders/${order.id}`)).body.data
  return { ...device, tea, cup, order, state }
})

const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click()

it('a short line stays open, and the rest of the order is released', async ({ picking, tenant, service }) => {
  const { page, tea, cup } = picking
  await picking.scan(tea.barcode)
  await press(page, 'Short')
  await press(page, 'Too few')
  await page.getByRole('heading', { name: 'B-1' }).waitFor()
  await press(page, 'Skip')
  await page.getByRole('heading', { name: /^Finish/ }).waitFor()
  expect(await page.getByRole('main').getByRole('listitem').allTextContents()).toEqual([
    'Tea2 left: Too few',
    'Cup2 left: Skipped',
  ])
  await press(page, 'Back to picking')
  await press(page, /^Take all/)
  await page.getByRole('heading', { name: /^Finish/ }).waitFor()
  await page.getByText('1 line stays open').waitFor()
  await page.getByText('2 left: Too few').waitFor()
  await press(page, 'Release the rest')
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  await expect.poll(async () => (await picking.state()).state_id).toBe(2)
  expect([await stockOf(tenant, tea), await stockOf(tenant, cup)]).toEqual([{ 'A-1': 4 }, { 'B-1': 3 }])
  await expectConsistentPicking(service.db, tenant)
  // What is left can be picked again.
  await page.getByRole('button', { name: `Pick ${picking.order.order_tenant_id}` }).waitFor()
})

it('everything can be put back', async ({ picking, tenant, service }) => {
  const { page, tea } = picking
  await press(page, /^Take all/)
  await expect.poll(() => page.getByRole('status', { name: 'Connection' }).textContent()).toBe('Online')
  await press(page, 'Finish')
  await press(page, 'Put everything back')
  await page.getByRole('dialog', { name: 'Put everything back' }).getByRole('button', { name: 'Put everything back' }).click()
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  expect((await picking.state()).state_id).toBe(2)
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 5 })
  await expectConsistentPicking(service.db, tenant)
  await page.getByRole('button', { name: `Pick ${picking.order.order_tenant_id}` }).waitFor()
})

it('an undo takes back what the server has, and the line is open again', async ({ picking, tenant, service }) => {
  const { page, tea } = picking
  await press(page, /^Take all/)
  await page.getByRole('heading', { name: 'B-1' }).waitFor()
  await expect.poll(() => stockOf(tenant, tea)).toEqual({ 'A-1': 2 })
  await press(page, 'Undo')
  await page.getByRole('heading', { name: 'A-1' }).waitFor()
  await page.getByText('Take 3', { exact: true }).waitFor()
  await expect.poll(() => stockOf(tenant, tea)).toEqual({ 'A-1': 5 })
  await expectConsistentPicking(service.db, tenant)
})

it('a flow that began on another device goes on here', async ({ picking, openWindow, tenant }) => {
  const { page, tea } = picking
  await press(page, /^Take all/)
  await expect.poll(() => stockOf(tenant, tea)).toEqual({ 'A-1': 2 })
  const other = await openWindow()
  const { body } = await tenant.request('GET', '/operators')
  const [ada] = body.data.operators
  const { badge } = (await tenant.request('POST', `/operators/${ada.id}/badge`, {})).body.data
  await enrolledDevice(other.page, tenant, { ...ada, badge })
  await press(other.page, `Go on with ${picking.order.order_tenant_id}`)
  await other.page.getByRole('heading', { name: 'B-1' }).waitFor()
  await other.page.getByText('Take 2', { exact: true }).waitFor()
})
