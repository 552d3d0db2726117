import type { Locator, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { it } from '../support/browser.ts'
import { goToScreenAfresh, openScreen } from '../support/open-screen.ts'
import { seed, signIn } from '../support/page-server.ts'
import { fillScreens } from '../support/screens.ts'

type Role = Parameters<Page['getByRole']>[0]
/** Names by role. `field` is a field with a label whatever its role, such as a date. */
type Names = Partial<Record<Role | 'field', readonly string[]>>

const TOPICS = ['All standard topics', 'order/created', 'order/updated', 'stock/low_alert', 'flow/cancelled']
const SCOPES = ['read:orders', 'write:orders', 'read:products', 'write:products', 'read:stock', 'write:stock', 'admin']
const PRESETS = ['Read Only', 'ERP Sync', 'Stock Sync', 'Full Access', 'Custom']
const ORDER_FIELDS = { textbox: ['Customer', 'Shipping address'], field: ['Assembly date'] } as const
const ANNOUNCED = {
  field: ['Expected on'],
  checkbox: ['Allow more than announced'],
  combobox: ['Add a product'],
} as const

/** Of a test that opens every screen, on a machine that others use too. */
const timeout = 600_000

/** What each screen has at once. A choice from a list is a button of its name. */
const SCREENS: [path: string, names: Names][] = [
  [
    '/',
    {
      heading: ['Home'],
      region: ['Due today', 'Picking now', 'Low stock', 'Webhooks', 'Reconcile', 'Orders by day'],
    },
  ],
  [
    '/orders?page=1',
    {
      heading: ['Orders'],
      table: ['Orders'],
      link: ['SHOP-1', 'New order'],
      group: ['State'],
      checkbox: ['Pending', 'Released', 'Picking', 'Completed', 'Cancelled'],
      textbox: ['Customer', 'Order identifier'],
      field: ['Assembly date', 'Created from', 'Created until'],
      navigation: ['Pages'],
      button: ['Reservation', 'Previous page', 'Next page', 'Copy as curl', 'Export CSV'],
      spinbutton: ['Page'],
    },
  ],
  ['/orders?state=1', { button: ['Clear filters'] }],
  ['/orders/new', { ...ORDER_FIELDS, combobox: ['Add a product'], button: ['Create order'] }],
  [
    '/orders/:id',
    {
      heading: ['Order SHOP-1', 'Why it cannot be picked now'],
      table: ['Lines', 'Picking flows', 'Movements'],
      list: ['Timeline'],
      button: ['Show', 'Edit', 'Release', 'Complete', 'Cancel order'],
      link: ['Return'],
    },
  ],
  [
    '/products',
    {
      heading: ['Products'],
      table: ['Products'],
      searchbox: ['Search products'],
      combobox: ['Category'],
      button: ['Active', 'Export CSV'],
      link: ['New product', 'Import'],
    },
  ],
  ['/locations/labels', { heading: ['Location labels'] }],
  ['/devices/commands', { heading: ['Command barcodes'] }],
  ['/products/import', { heading: ['Import products'], button: ['Choose a CSV file'] }],
  ['/stock/import', { heading: ['Import stock'], button: ['Choose a CSV file'] }],
  [
    '/products/new',
    {
      textbox: ['Name', 'Barcode', 'SKU', 'Category', 'Description'],
      spinbutton: ['Price', 'Weight'],
      button: ['Create product'],
    },
  ],
  [
    '/products/:id',
    {
      heading: ['Tea'],
      radiogroup: ['Period'],
      table: ['Availability', 'Stock by location', 'Movements'],
      link: ['4 reserved of Tea'],
      button: ['Edit', 'Deactivate', 'Set stock', 'Adjust stock', 'Transfer'],
    },
  ],
  [
    '/stock',
    {
      heading: ['Stock'],
      button: ['Export CSV'],
      link: ['Import'],
      grid: ['Stock levels'],
      searchbox: ['Search products'],
      combobox: ['Location'],
      checkbox: ['Below threshold'],
      field: ['As of'],
    },
  ],
  [
    '/movements',
    {
      heading: ['Movements'],
      table: ['Movements'],
      button: ['Type', 'Export CSV'],
      combobox: ['Location', 'Product'],
      field: ['From', 'Until'],
    },
  ],
  ['/picking', { heading: ['Picking'], table: ['Running', 'Ready'], button: ['Assign SHOP-1', 'Cancel flow SHOP-1'] }],
  [
    '/reservations',
    {
      heading: ['Reservations'],
      table: ['Reservations'],
      radiogroup: ['Show'],
      radio: ['Reservations', 'Holds'],
      combobox: ['Product'],
      button: ['Warehouse'],
      spinbutton: ['Order id', 'Hold id'],
    },
  ],
  [
    '/reservations?show=holds',
    { table: ['Holds'], textbox: ['Reference'], button: ['State', 'Release cart-81'], link: ['cart-81'] },
  ],
  [
    '/inbound',
    {
      heading: ['Inbound'],
      table: ['Inbound'],
      button: ['State', 'Export CSV'],
      textbox: ['Reference'],
      link: ['New delivery'],
    },
  ],
  ['/inbound/new', { ...ANNOUNCED, textbox: ['Reference', 'Supplier', 'Note'], button: ['Announce delivery', 'Copy as curl'] }],
  [
    '/inbound/:id',
    {
      heading: ['Delivery PO-1'],
      table: ['Lines', 'Receipts'],
      button: ['Receive', 'Edit', 'Close', 'Cancel', 'Undo the receipt of Tea at DOCK'],
    },
  ],
  [
    '/returns',
    {
      heading: ['Returns'],
      table: ['Returns'],
      button: ['State', 'Export CSV'],
      textbox: ['Reference'],
      spinbutton: ['Order id'],
      link: ['New return'],
    },
  ],
  [
    '/returns/new',
    {
      ...ANNOUNCED,
      textbox: ['Order identifier', 'Reference', 'Reason', 'Note'],
      button: ['Announce return', 'Copy as curl'],
    },
  ],
  [
    '/returns/:id',
    {
      heading: ['Return RMA-1'],
      table: ['Lines', 'Receipts'],
      button: ['Receive', 'Edit', 'Close', 'Cancel', 'Undo the scrapping of Tea'],
    },
  ],
  [
    '/counts',
    {
      heading: ['Counts'],
      table: ['Counts'],
      button: ['State', 'Export CSV'],
      textbox: ['Reference'],
      link: ['New count'],
    },
  ],
  [
    '/counts/new',
    {
      textbox: ['Reference', 'Note'],
      combobox: ['Add a location', 'Add a product'],
      checkbox: ['Blind: hide what is expected while counting'],
      button: ['Begin count', 'Copy as curl'],
    },
  ],
  [
    '/counts/:id',
    {
      heading: ['Count CC-1'],
      table: ['Lines'],
      radiogroup: ['Show'],
      radio: ['All', 'Not counted', 'Different'],
      spinbutton: ['Count of Tea at A-01'],
      button: ['Add an entry', 'Submit', 'Reopen', 'Approve', 'Cancel'],
    },
  ],
  [
    '/shipments',
    {
      heading: ['Shipments'],
      table: ['Shipments'],
      button: ['State'],
      textbox: ['Reference', 'Tracking number'],
      link: ['SHOP-5'],
    },
  ],
  [
    '/shipments/:id',
    {
      heading: ['Shipment SHP-1', 'Package 1'],
      table: ['Content of package 1'],
      button: ['Ship', 'Deliver', 'Cancel', 'Tracking of package 1'],
      link: ['SHOP-5', 'https://track.example.com/00340434292135100186'],
    },
  ],
  ['/webhooks', { heading: ['Webhooks'], table: ['Webhooks'], link: ['New webhook'] }],
  ['/webhooks/new', { textbox: ['Name', 'URL'], group: ['Topics'], checkbox: TOPICS, button: ['Create webhook'] }],
  [
    '/webhooks/:id',
    {
      heading: ['shop'],
      switch: ['Active'],
      button: ['Send test', 'Rotate secret', 'Replay', 'Delete', 'State', 'Topic'],
      table: ['Deliveries'],
    },
  ],
  ['/webhooks/:id/deliveries/:id', { table: ['Attempts'], button: ['Retry now'] }],
  ['/keys', { heading: ['API keys'], table: ['API keys'], link: ['New key'], button: ['Revoke ERP'] }],
  [
    '/keys/new',
    {
      textbox: ['Name', 'Allowed addresses'],
      radiogroup: ['Preset', 'Mode'],
      radio: PRESETS,
      group: ['Scopes'],
      checkbox: SCOPES,
      button: ['Expires', 'Create key'],
    },
  ],
  [
    '/audit',
    {
      heading: ['Audit'],
      table: ['Audit'],
      combobox: ['Operation', 'Key'],
      button: ['Surface', 'Export CSV'],
      textbox: ['Request id'],
    },
  ],
  ['/events', { heading: ['Events'], table: ['Events'] }],
  ['/usage', { heading: ['API usage'] }],
  ['/reconcile', { heading: ['Reconcile'], button: ['Check all stock', 'Stop'] }],
  [
    '/operators',
    {
      heading: ['Operators'],
      button: ['Add operator', 'New badge for Ada Lovelace', 'Deactivate Ada Lovelace'],
    },
  ],
  ['/devices', { heading: ['Devices'], button: ['Enrol a device', 'End session of Handheld 3'] }],
  ['/sessions', { heading: ['Sessions'], button: ['End session of Handheld 3', 'End all other sessions'] }],
  ['/locations', { heading: ['Locations'] }],
  [
    '/settings',
    {
      heading: ['Settings'],
      form: ['Reservation policy', 'Weight barcodes'],
      radiogroup: ['Reservation policy'],
      radio: ['Off', 'Track', 'Strict'],
      button: ['Save policy', 'Add a pattern', 'Save weight barcodes'],
    },
  ],
]

/** What opens on each screen when these are pressed. */
const DIALOGS: [path: string, pressed: string, dialog: string | undefined, names: Names][] = [
  ['/orders/:id', 'Cancel order', 'Cancel order', { textbox: ['Reason'], button: ['Cancel order SHOP-1', 'Copy as curl'] }],
  ['/orders/:id', 'Edit', undefined, { ...ORDER_FIELDS, button: ['Save', 'Discard'] }],
  ['/products/:id', 'Edit', undefined, { textbox: ['Name', 'SKU', 'Category', 'Description'], button: ['Save', 'Discard'] }],
  [
    '/products/:id',
    'Set stock',
    'Set stock',
    { textbox: ['Location', 'Reason'], spinbutton: ['Quantity'], button: ['Set', 'Copy as curl'] },
  ],
  [
    '/products/:id',
    'Adjust stock',
    'Adjust stock',
    { textbox: ['Location', 'Reason'], spinbutton: ['Change'], button: ['Adjust', 'Copy as curl'] },
  ],
  [
    '/products/:id',
    'Transfer',
    'Transfer',
    { textbox: ['From', 'To', 'Reason'], spinbutton: ['Quantity'], button: ['Transfer', 'Copy as curl'] },
  ],
  ['/picking', 'Assign SHOP-1', 'Assign', { combobox: ['Operator'], button: ['Assign', 'Copy as curl'] }],
  ['/picking', 'Cancel flow SHOP-1', 'Cancel flow SHOP-1', { button: ['Cancel flow SHOP-1', 'Copy as curl'] }],
  ['/reservations?show=holds', 'Release cart-81', 'Release cart-81', { button: ['Release hold', 'Copy as curl'] }],
  [
    '/inbound/:id',
    'Receive',
    'Receive',
    { button: ['Line', 'Receive', 'Copy as curl'], spinbutton: ['Quantity'], textbox: ['Location'] },
  ],
  ['/inbound/:id', 'Edit', undefined, { textbox: ['Supplier', 'Note'], field: ['Expected on'], button: ['Save', 'Discard'] }],
  [
    '/returns/:id',
    'Receive',
    'Receive',
    { button: ['Line', 'Disposition', 'Receive', 'Copy as curl'], spinbutton: ['Quantity'], textbox: ['Location'] },
  ],
  ['/returns/:id', 'Close', 'Close', { button: ['Close return RMA-1', 'Copy as curl'] }],
  ['/returns/:id', 'Undo the scrapping of Tea', 'Undo the scrapping of Tea', { button: ['Undo the receipt', 'Copy as curl'] }],
  [
    '/counts/:id',
    'Add an entry',
    'Add an entry',
    {
      combobox: ['Product'],
      textbox: ['Location'],
      spinbutton: ['Quantity'],
      button: ['Add an entry', 'Copy as curl'],
    },
  ],
  ['/counts/:id', 'Cancel', 'Cancel', { textbox: ['Reason'], button: ['Cancel count CC-1', 'Copy as curl'] }],
  ['/orders/:id', 'Pack', 'Pack order SHOP-1', { textbox: ['Reference', 'Carrier', 'Tracking number'], spinbutton: ['Weight'] }],
  [
    '/shipments/:id',
    'Tracking of package 1',
    'Tracking of package 1',
    { textbox: ['Carrier', 'Tracking number', 'Tracking address'], button: ['Save tracking', 'Copy as curl'] },
  ],
  ['/shipments/:id', 'Ship', 'Ship', { button: ['Ship shipment SHP-1', 'Copy as curl'] }],
  ['/shipments/:id', 'Cancel', 'Cancel', { textbox: ['Reason'], button: ['Cancel shipment SHP-1', 'Copy as curl'] }],
  ['/webhooks/:id', 'Replay', 'Replay', { field: ['Since', 'Until'], button: ['Replay', 'Copy as curl'] }],
  ['/webhooks/:id', 'Rotate secret', 'Rotate secret', { button: ['Rotate secret', 'Copy as curl'] }],
  ['/webhooks/:id', 'Delete', 'Delete', { button: ['Delete shop', 'Copy as curl'], textbox: ['Type shop to confirm'] }],
  ['/keys', 'Revoke ERP', 'Revoke ERP', { button: ['Revoke key', 'Copy as curl'] }],
  ['/operators', 'Add operator', 'Add operator', { textbox: ['Name', 'E-mail'], checkbox: ['May change stock'] }],
  ['/devices', 'Enrol a device', 'Enrol a device', { textbox: ['Device name'], button: ['Make a code', 'Copy as curl'] }],
  ['/sessions', 'End session of Handheld 3', 'End session of Handheld 3', { button: ['End session', 'Copy as curl'] }],
  ['/orders', 'Search', 'Search', { combobox: ['Search orders, products and pages'] }],
  ['/orders', 'Requests', 'Requests', { table: ['Requests'] }],
]

/** Forms that are sent as they open: where, what opens it, what sends it, and the name of its dialog. */
const FORMS: [path: string, opener: string | undefined, submit: string, dialog?: string][] = [
  ['/orders/new', undefined, 'Create order'],
  ['/products/new', undefined, 'Create product'],
  ['/webhooks/new', undefined, 'Create webhook'],
  ['/keys/new', undefined, 'Create key'],
  ['/inbound/new', undefined, 'Announce delivery'],
  ['/products/:id', 'Set stock', 'Set', 'Set stock'],
  ['/products/:id', 'Adjust stock', 'Adjust', 'Adjust stock'],
  ['/products/:id', 'Transfer', 'Transfer', 'Transfer'],
  ['/products/:id', 'Add barcode', 'Add barcode', 'Add a barcode of Tea'],
  ['/counts/:id', 'Add an entry', 'Add an entry', 'Add an entry'],
  ['/picking', 'Assign SHOP-1', 'Assign', 'Assign'],
  ['/picking', 'Start a batch', 'Start a batch', 'Start a batch'],
  ['/webhooks/:id', 'Replay', 'Replay', 'Replay'],
  ['/operators', 'Add operator', 'Add operator', 'Add operator'],
  ['/devices', 'Enrol a device', 'Make a code', 'Enrol a device'],
  ['/locations', 'New warehouse', 'Create warehouse', 'New warehouse'],
]

/** Fields that were refused without a sign, or that screen readers are not told of; whether the sign is explained. */
function requiredProblems(form: Element): { refused: number; found: string[] } {
  const refused = [...form.querySelectorAll('[aria-invalid=true]')].map((field) => {
    const label = field.ariaLabelledByElements?.find((element) => element.tagName === 'LABEL')
    const hasSign = label !== undefined && getComputedStyle(label, '::after').content.includes('*')
    return { name: label?.textContent ?? field.outerHTML, isRight: hasSign && field.ariaRequired === 'true' }
  })
  const explained = [...form.querySelectorAll('p')].filter((text) => text.checkVisibility() && text.textContent === '* Required')
  return {
    refused: refused.length,
    found: [
      ...refused.filter(({ isRight }) => !isRight).map(({ name }) => `${name} is not marked`),
      ...(explained.length === 1 ? [] : [`the sign is explained ${explained.length} times`]),
    ],
  }
}

/** Names of which there is not exactly one, a line each. */
async function missing(within: Page | Locator, names: Names): Promise<string[]> {
  const found: string[] = []
  for (const [role, wanted] of Object.entries(names) as [Role | 'field', readonly string[]][])
    for (const name of wanted) {
      const located = role === 'field' ? within.getByLabel(name, { exact: true }) : within.getByRole(role, { name, exact: true })
      const count = await located.count()
      if (count !== 1) found.push(`${count} × ${role} ${name}`)
    }
  return found
}

/** The address of a screen, with the ids of its records. */
function addressOf(path: string, records: readonly string[]): string {
  if (!path.includes(':id')) return path
  const pattern = new RegExp(`^${path.replaceAll(':id', '[^/]+')}$`)
  return records.find((record) => pattern.test(record)) ?? path
}

describe('accessible names', () => {
  it('of every screen, letter by letter', { timeout }, async ({ window: { page }, tenant }) => {
    const records = await fillScreens(tenant)
    await signIn(page, tenant.key)
    const found: string[] = []
    for (const [path, names] of SCREENS) {
      await openScreen(page, addressOf(path, records))
      found.push(...(await missing(page, names)).map((name) => `${path}: ${name}`))
    }
    expect(found).toEqual([])
  })

  it('of every dialog and form that opens', { timeout }, async ({ window: { page }, tenant }) => {
    const records = await fillScreens(tenant)
    await signIn(page, tenant.key)
    for (const [path, pressed, dialog, names] of DIALOGS) {
      await goToScreenAfresh(page, addressOf(path, records))
      await page.getByRole('button', { name: pressed, exact: true }).press('Enter')
      const opened = dialog === undefined ? page.getByRole('main') : page.getByRole('dialog', { name: dialog, exact: true })
      await opened.getByRole('button').or(opened.getByRole('combobox')).first().waitFor()
      if (dialog === undefined) await page.getByRole('button', { name: 'Save' }).waitFor()
      await expect.poll(() => missing(opened, names), { message: `${path} ${pressed}` }).toEqual([])
      // Those of the frame, such as search, stay open on the next screen.
      if (dialog !== undefined) await page.keyboard.press('Escape')
    }
  })

  it('are marked as required where an empty field is refused, and the sign is explained once', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/40[04]/)
    const records = await fillScreens(tenant)
    await signIn(page, tenant.key)
    const found: string[] = []
    let refused = 0
    for (const [path, opener, submit, within] of FORMS) {
      await goToScreenAfresh(page, addressOf(path, records))
      if (opener !== undefined) await page.getByRole('button', { name: opener, exact: true }).press('Enter')
      const form =
        within === undefined ? page.locator('main form').first() : page.getByRole('dialog', { name: within }).locator('form')
      await form.getByRole('button', { name: submit, exact: true }).press('Enter')
      await form.getByRole('alert').waitFor()
      const problems = await form.evaluate(requiredProblems)
      refused += problems.refused
      found.push(...problems.found.map((problem) => `${path} ${submit}: ${problem}`))
    }
    expect(found).toEqual([])
    expect(refused).toBeGreaterThan(FORMS.length)
  })

  it('of the frame', async ({ window: { page }, tenant }) => {
    await fillScreens(tenant)
    await signIn(page, tenant.key)
    await openScreen(page, '/orders')
    const frame: Names = {
      link: ['Skip to content'],
      navigation: ['Main'],
      button: ['Search', 'Requests', 'Theme', 'Account'],
      radiogroup: ['Data'],
      radio: ['Live', 'Test'],
    }
    expect(await missing(page, frame)).toEqual([])
    for (const role of ['banner', 'main', 'status'] as const)
      expect([role, await page.getByRole(role).count()]).toEqual([role, 1])
    const goods = ['Home', 'Orders', 'Products', 'Stock', 'Movements', 'Picking', 'Reservations']
    const records = ['Inbound', 'Returns', 'Counts', 'Shipments']
    const integration = ['Webhooks', 'Events']
    const access = ['API keys', 'Usage', 'Audit', 'Reconcile']
    const setup = ['Operators', 'Devices', 'Sessions', 'Locations', 'Settings']
    const navigation = page.getByRole('navigation', { name: 'Main' })
    expect(await navigation.getByRole('link').allTextContents()).toEqual([
      ...goods,
      ...records,
      ...integration,
      ...access,
      ...setup,
    ])
    await page.getByRole('button', { name: 'Account' }).click()
    expect(await missing(page, { menuitem: ['Sign out', 'Sessions', 'Keyboard shortcuts'] })).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Theme' }).click()
    expect(await missing(page, { listbox: ['Theme'], option: ['System', 'Light', 'Dark'] })).toEqual([])
  })

  it('of what is shown once', async ({ window: { page }, tenant }) => {
    await seed(tenant, '/operators', { name: 'Ada', email: 'ada@example.com' })
    await signIn(page, tenant.key, '/operators')
    await page.getByRole('button', { name: 'New badge for Ada' }).click()
    const badge = page.getByRole('dialog', { name: 'Badge of Ada', exact: true })
    await badge.getByRole('img', { name: 'Barcode', exact: true }).waitFor()
    expect(await missing(badge, { img: ['QR code', 'Barcode'], button: ['Print'] })).toEqual([])
    await openScreen(page, '/keys/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('ERP')
    await page.getByRole('button', { name: 'Expires' }).click()
    await page.getByRole('option', { name: 'On a date' }).click()
    await page.getByLabel('Expiry date', { exact: true }).fill('2130-01-01')
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = page.getByRole('dialog', { name: 'New API key', exact: true })
    await key.getByText('This value is shown only now').waitFor()
    expect(await missing(key, { textbox: ['API key'], button: ['Copy key', 'I have stored it'] })).toEqual([])
  })
})
