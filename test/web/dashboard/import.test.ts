import { readFile, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page, Request } from 'playwright-core'
import { describe, expect } from 'vitest'
import { axe } from '../support/axe.ts'
import { it, type TestTenant } from '../support/browser.ts'
import { hold } from '../support/hold.ts'
import { layoutProblems } from '../support/layout.ts'
import { openScreen, resize } from '../support/open-screen.ts'
import { seed, signIn } from '../support/page-server.ts'

interface CsvFile {
  name: string
  text: string | Buffer
}

/** Chooses a file as a user does. */
async function choose(page: Page, { name, text }: CsvFile, button = 'Choose a CSV file'): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: button }).click()])
  await chooser.setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
}

/** Signs in and opens an import screen. A reload that asks is answered with yes. */
async function openImport(page: Page, tenant: TestTenant, address: string): Promise<void> {
  page.on('dialog', (dialog) => void dialog.accept())
  await signIn(page, tenant.key)
  await openScreen(page, address)
}

async function downloadErrors(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download rows with errors' }).click(),
  ])
  return `${download.suggestedFilename()}\n${await readFile(await download.path(), 'utf8')}`
}

const keyOf = (request: Request): string | undefined => request.headers()['idempotency-key']

/** The keys of the batches that were sent. */
function watchBatches(page: Page, pattern: RegExp): string[] {
  const keys: string[] = []
  page.on('request', (request) => {
    if (pattern.test(request.url())) keys.push(keyOf(request) ?? '')
  })
  return keys
}

const errorRows = (page: Page): Promise<string[][]> =>
  page
    .getByRole('table', { name: 'Rows with errors' })
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)))

async function movementCount(tenant: TestTenant): Promise<number> {
  return (await tenant.request('GET', '/stock/movements?limit=1')).body.data.pagination.total
}

/** A tenant with products SKU-1 and so on. */
async function withProducts(tenant: TestTenant, count: number): Promise<void> {
  for (let first = 0; first < count; first += 1_000) {
    const products = Array.from({ length: Math.min(1_000, count - first) }, (_, index) => {
      const number = first + index + 1
      return { name: `Tea ${number}`, barcode: String(number), sku: `SKU-${number}` }
    })
    await seed(tenant, '/products/bulk', { products })
  }
}

/** Checks the file that is chosen, and imports it. */
async function importAll(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('status').getByText('The import is complete.').last().waitFor()
}

/** Imports this file, and pauses after its first batch. */
async function pauseAfterFirst(page: Page, file: CsvFile): Promise<void> {
  await choose(page, file)
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  const { isHeld, end } = await hold(page, 'POST', '**/stock/bulk')
  await page.getByRole('button', { name: /^Import [\d,]+ rows$/ }).click()
  await isHeld
  await page.getByRole('button', { name: 'Pause' }).click()
  await end()
  await page
    .getByRole('status')
    .getByText(/Paused after 500 of/)
    .last()
    .waitFor()
  await page.unroute('**/stock/bulk')
}

/** Levels of so many products; these rows have a SKU that no product has. */
function levelsFile(rows: number, bad: readonly number[] = []): CsvFile {
  const lines = Array.from(
    { length: rows },
    (_, index) => `${bad.includes(index + 1) ? 'NONE' : `SKU-${index + 1}`},A-01,${index + 1}`,
  )
  return { name: 'levels.csv', text: ['sku,location_id,quantity', ...lines].join('\n') }
}

const NO_NUMBER = 'This is not a number: write it as 1234.5, with a point and no commas'
const ROUNDED = 'A spreadsheet has rounded this code. Format the column as text, with all digits.'

describe('import of products', () => {
  it('guesses columns, checks without storing, imports the good rows and gives back the others', async ({
    window: { page },
    tenant,
  }) => {
    await seed(tenant, '/products', { name: 'Old tea', barcode: '1', sku: 'TEA-1' })
    await openImport(page, tenant, '/products')
    await page.getByRole('link', { name: 'Import' }).click()
    await page.getByRole('heading', { level: 1, name: 'Import products' }).waitFor()
    const text = [
      'EAN;Product name;SKU;Price;Colour',
      '1;Green tea;TEA-1;4.9;green',
      '2;"Salt, ""fine""\nfrom the sea";SALT;0.9;white',
      ';Nameless;;1;',
      '3;Pepper;TEA-1;2;black',
      '4;Sugar;SUGAR;2,50;white',
      '5;Too;few',
      '4,00638E+12;Flour;;1;',
      ';;;;',
      '2;Sea salt;;1.1;',
      ';;;;',
    ].join('\r\n')
    await choose(page, { name: 'catalog.csv', text: `\uFEFF${text}\r\n` })
    await page.getByText('catalog.csv: 8 rows').waitFor()
    const fields = ['Barcode', 'Name', 'SKU', 'Price', 'Leave out']
    for (const [index, column] of ['EAN', 'Product name', 'SKU', 'Price', 'Colour'].entries()) {
      const field = page.getByRole('button', { name: `Field of ${column}`, exact: true })
      expect([column, await field.evaluate((button) => button.parentElement?.textContent)]).toEqual([
        column,
        expect.stringContaining(fields[index] ?? ''),
      ])
    }
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByRole('status').getByText('1 new, 2 changed, 5 with errors. Nothing is imported yet.').last().waitFor()
    expect(await errorRows(page)).toEqual([
      ['5', 'Barcode', '–', expect.stringContaining('required')],
      ['6', 'SKU', 'TEA-1', 'another product has this sku'],
      ['7', 'Price', '2,50', NO_NUMBER],
      ['8', '–', '5, Too, few', 'Has 3 cells; the first line names 5 columns.'],
      ['9', 'Barcode', '4,00638E+12', ROUNDED],
    ])
    for (const width of [320, 1280]) {
      await resize(page, width)
      expect([width, await axe(page), await layoutProblems(page)]).toEqual([width, [], []])
    }
    const { body } = await tenant.request('GET', '/products')
    expect(body.data.products.map(({ name }: { name: string }) => name)).toEqual(['Old tea'])
    expect((await tenant.request('GET', '/audit-log?operation=products.bulk')).body.data.entries).toEqual([])

    const keys = watchBatches(page, /\/products\/bulk$/)
    await page.getByRole('button', { name: 'Import 3 rows' }).click()
    await page.getByRole('status').getByText('1 new, 2 changed, 5 with errors. The import is complete.').last().waitFor()
    expect(keys).toEqual([expect.stringMatching(/^import-[0-9a-f]{32}-0$/)])
    const after = (await tenant.request('GET', '/products')).body.data.products
    expect(after).toMatchObject([
      { barcode: '2', name: 'Sea salt', external_id: 'SALT', price: 1.1 },
      { barcode: '1', name: 'Green tea', external_id: 'TEA-1', price: 4.9 },
    ])
    expect(await downloadErrors(page)).toBe(
      [
        'catalog-errors.csv',
        'EAN;Product name;SKU;Price;Colour;error',
        ';Nameless;;1;;barcode: is required',
        '3;Pepper;TEA-1;2;black;sku: another product has this sku',
        `4;Sugar;SUGAR;2,50;white;price: ${NO_NUMBER}`,
        '5;Too;few;"Has 3 cells; the first line names 5 columns."',
        `4,00638E+12;Flour;;1;;barcode: ${ROUNDED}`,
        '',
      ].join('\n'),
    )
    await page.getByRole('link', { name: 'Show products' }).click()
    await page.getByRole('table', { name: 'Products' }).getByText('Sea salt').waitFor()
  })
})

describe('import of stock', () => {
  it('goes on after a reload in the middle, nothing twice: 2,000 rows, 3 of them bad', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/ERR_FAILED/)
    await withProducts(tenant, 2_000)
    await openImport(page, tenant, '/stock/import')
    const file = levelsFile(2_000, [1, 700, 2_000])
    await choose(page, file)
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByRole('status').getByText('1,997 levels, 3 with errors. Nothing is imported yet.').last().waitFor()
    expect(await errorRows(page)).toEqual(
      [1, 700, 2_000].map((level) => [String(level + 1), '–', `NONE, A-01, ${level}`, 'Product not found']),
    )

    const keys = watchBatches(page, /\/stock\/bulk$/)
    // The server makes the changes of the third batch, and its response is lost.
    const { promise: lost, resolve } = Promise.withResolvers<void>()
    await page.route('**/stock/bulk', async (route) => {
      if (!keyOf(route.request())?.endsWith('-2')) return await route.continue()
      await route.fetch()
      resolve()
      await route.abort()
    })
    await page.getByRole('button', { name: 'Import 1,997 rows' }).click()
    await lost
    await page.unroute('**/stock/bulk')
    await page.reload()
    await page.getByText('The import of levels.csv is not complete. Choose the same file to go on where it was.').waitFor()
    expect(await movementCount(tenant)).toBe(1_500)
    const before = keys.length
    await choose(page, file)
    await page.getByRole('status').getByText('1,997 levels, 3 with errors. The import is complete.').last().waitFor()
    const id = keys[0]?.replace(/-0$/, '') ?? ''
    expect(keys.slice(before)).toEqual([`${id}-2`, `${id}-3`])
    expect(await movementCount(tenant)).toBe(1_997)
    // The columns are those of the import that went on.
    expect((await errorRows(page)).map(([, , text]) => text)).toEqual(['NONE, A-01, 1', 'NONE, A-01, 700', 'NONE, A-01, 2000'])
    expect(await page.getByRole('link', { name: 'Show stock' }).getAttribute('href')).toMatch(/\/stock$/)

    await page.reload()
    await page.getByRole('button', { name: 'Choose a CSV file' }).waitFor()
    expect(await page.getByText('is not complete').count()).toBe(0)
  })

  it('pauses after the batch under way and goes on; leaving in the middle asks', async ({ window: { page }, tenant }) => {
    await withProducts(tenant, 1_200)
    await openImport(page, tenant, '/stock/import')
    await choose(page, levelsFile(1_200))
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    // The server makes the changes of the first batch, and its response is late.
    const { isHeld, end } = await hold(page, 'POST', '**/stock/bulk')
    const keys = watchBatches(page, /\/stock\/bulk$/)
    const failed: string[] = []
    page.on('requestfailed', (request) => failed.push(request.url()))
    await page.getByRole('button', { name: 'Import 1,200 rows' }).evaluate((button: HTMLButtonElement) => {
      button.click()
      button.click()
    })
    const response = await (await isHeld).fetch()
    expect(await movementCount(tenant)).toBe(500)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page
      .getByRole('status')
      .getByText('Imported 0 of 1,200 rows. Pausing after the rows that are being sent.')
      .last()
      .waitFor()
    expect(await page.getByRole('button', { name: 'Pause' }).getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('link', { name: 'Orders', exact: true }).click()
    await page.getByRole('dialog', { name: 'Leave the import?' }).getByRole('button', { name: 'Back' }).click()
    await end((route) => route.fulfill({ response }))
    await page.getByRole('status').getByText('500 levels, 0 with errors. Paused after 500 of 1,200 rows.').last().waitFor()
    expect(await page.getByRole('progressbar', { name: 'Progress' }).getAttribute('value')).toBe('500')
    expect([keys.length, failed]).toEqual([1, []])
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('status').getByText('1,200 levels, 0 with errors. The import is complete.').last().waitFor()
    const id = keys[0]?.replace(/-0$/, '') ?? ''
    expect(keys).toEqual([`${id}-0`, `${id}-1`, `${id}-2`])
    expect(await movementCount(tenant)).toBe(1_200)
    await page.getByRole('link', { name: 'Orders', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
  })

  it('pauses at once while it waits for a busy server', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/503/)
    await withProducts(tenant, 2)
    await openImport(page, tenant, '/stock/import')
    await choose(page, levelsFile(2))
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.route('**/stock/bulk', (route) =>
      route.fulfill({
        status: 503,
        headers: { 'Retry-After': '600' },
        json: { success: false, error: { code: 'service_unavailable', message: 'Later' } },
      }),
    )
    await page.getByRole('button', { name: 'Import 2 rows' }).click()
    await page.getByRole('timer').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('status').getByText('Paused after 0 of 2 rows.').last().waitFor()
    expect(await page.getByRole('timer').count()).toBe(0)
    await page.unroute('**/stock/bulk')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('status').getByText('2 levels, 0 with errors. The import is complete.').last().waitFor()
  })

  it('of another file leaves one that is paused as it is, and the screen says so', async ({ window: { page }, tenant }) => {
    await withProducts(tenant, 1_200)
    await openImport(page, tenant, '/stock/import')
    const file = levelsFile(1_200)
    const keys = watchBatches(page, /\/stock\/bulk$/)
    await pauseAfterFirst(page, file)
    const note = page.getByText('The import of levels.csv is not complete. Choose the same file to go on where it was.')
    expect(await note.count()).toBe(0)
    const small = { name: 'small.csv', text: 'sku,location_id,quantity\nSKU-1,B-01,1\n' }
    await choose(page, small, 'Choose another file')
    await note.waitFor()
    await importAll(page, 'Import 1 row')
    await note.waitFor()

    // As an older version kept it.
    await page.evaluate(async (id) => {
      const opened = indexedDB.open('imports')
      await new Promise((resolve) => opened.addEventListener('success', resolve))
      const transaction = opened.result.transaction(['imports', 'progress'], 'readwrite')
      for (const name of ['imports', 'progress']) {
        const store = transaction.objectStore(name)
        const cursor = store.openCursor()
        cursor.addEventListener('success', () => {
          const { value } = cursor.result ?? {}
          if (value === undefined) return
          delete value.beganAt
          store.put(value, `${id} live stock`)
          cursor.result?.delete()
        })
      }
      await new Promise((resolve) => transaction.addEventListener('complete', resolve))
      opened.result.close()
    }, tenant.id)
    await page.reload()
    await choose(page, { ...small, text: small.text.replace('B-01', 'B-02') })
    await importAll(page, 'Import 1 row')
    expect(await movementCount(tenant)).toBe(502)
    await note.waitFor()
    const before = keys.length
    await choose(page, file, 'Choose another file')
    await page.getByRole('status').getByText('1,200 levels, 0 with errors. The import is complete.').last().waitFor()
    const id = keys[0]?.replace(/-0$/, '') ?? ''
    expect(keys.slice(before)).toEqual([`${id}-1`, `${id}-2`])
    expect(await movementCount(tenant)).toBe(1_202)
    await page.reload()
    await page.getByRole('button', { name: 'Choose a CSV file' }).waitFor()
    expect(await page.getByText('is not complete').count()).toBe(0)
  })

  it('that is not to go on is forgotten alone; of more than twenty, the oldest are', async ({ window: { page }, tenant }) => {
    await withProducts(tenant, 501)
    await openImport(page, tenant, '/stock/import')
    await pauseAfterFirst(page, levelsFile(501))
    await page.evaluate(async (id) => {
      const opened = indexedDB.open('imports')
      await new Promise((resolve) => opened.addEventListener('success', resolve))
      const store = opened.result.transaction('imports', 'readwrite').objectStore('imports')
      for (let number = 1; number <= 20; number++) {
        const fingerprint = String(number).padStart(16, '0')
        const kept = { id: String(number), fileName: `old-${number}.csv`, fingerprint, mapping: [], beganAt: number, bad: [] }
        store.put(kept, `${id} live stock ${fingerprint}`)
      }
      await new Promise((resolve) => store.transaction.addEventListener('complete', resolve))
      opened.result.close()
    }, tenant.id)
    const kept = async () =>
      (await page.getByText('is not complete').allTextContents()).map((text) => /of (\S+) is/.exec(text)?.[1])
    await page.reload()
    await expect.poll(async () => (await kept()).slice(0, 2)).toEqual(['levels.csv', 'old-20.csv'])
    await pauseAfterFirst(page, { name: 'third.csv', text: levelsFile(501).text.toString().replaceAll('A-01', 'C-01') })
    const newest = Array.from({ length: 18 }, (_, index) => `old-${20 - index}.csv`)
    await expect.poll(kept).toEqual(['levels.csv', ...newest])
    await page.reload()
    await page.getByRole('button', { name: 'Do not go on with levels.csv' }).click()
    await expect.poll(kept).toEqual(['third.csv', ...newest])
  })

  it('of another tab keeps its own progress', async ({ window: { page }, tenant }) => {
    await withProducts(tenant, 1_201)
    await openImport(page, tenant, '/stock/import')
    const other = await page.context().newPage()
    const begin = async (tab: Page, file: CsvFile): Promise<() => void> => {
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      await tab.route('**/stock/bulk', async (route) => {
        if (keyOf(route.request())?.endsWith('-1')) await held
        await route.continue().catch(() => {})
      })
      await choose(tab, file)
      await tab.getByRole('button', { name: 'Check', exact: true }).click()
      await tab.getByRole('button', { name: /^Import 1,20\d rows$/ }).click()
      await tab
        .getByRole('status')
        .getByText(/Imported 500 of 1,20\d rows\.$/)
        .last()
        .waitFor()
      return release
    }
    const release = await begin(page, levelsFile(1_200))
    await other.goto('/dashboard/stock/import')
    other.on('dialog', (dialog) => void dialog.accept())
    await begin(other, { ...levelsFile(1_201), name: 'others.csv' })
    release()
    await page.getByRole('status').getByText('The import is complete.').last().waitFor()
    await other.reload()
    await other.getByText('The import of others.csv is not complete.').waitFor()
    await other.close()
  })

  it('waits for a busy server and for the connection, and goes on', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/429|503|ERR_INTERNET_DISCONNECTED/)
    await withProducts(tenant, 3)
    await openImport(page, tenant, '/stock/import')
    const busy = (code: string) => ({ success: false, error: { code, message: 'Later' } })
    let requests = 0
    await page.route(/\/stock\/bulk(\/check)?$/, async (route) => {
      requests += 1
      const headers = { 'Retry-After': '1' }
      if (requests === 1) await route.fulfill({ status: 429, headers, json: busy('rate_limit_exceeded') })
      else if (requests === 3) await route.fulfill({ status: 503, headers, json: busy('service_unavailable') })
      else if (requests === 4) await route.abort('internetdisconnected')
      // A network that answers in the place of the server.
      else if (requests === 5) await route.fulfill({ contentType: 'text/html', body: '<h1>Log in to the network</h1>' })
      else await route.continue()
    })
    await choose(page, { name: 'levels.tsv', text: 'qty\tlocation\tsku\n5\tA-01\tSKU-1\n6\tA-01\tSKU-2\n' })
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByRole('timer').waitFor()
    await page.getByRole('button', { name: 'Import 2 rows' }).click()
    await page.getByRole('status').getByText('2 levels, 0 with errors. The import is complete.').last().waitFor()
    expect([requests, await movementCount(tenant)]).toEqual([6, 2])
  })

  it('says what a file is that it cannot import', async ({ window: { page }, tenant, folder }) => {
    await openImport(page, tenant, '/stock/import')
    const rows = Array.from({ length: 200_001 }, () => 'SKU-1,A,1').join('\n')
    const files: [CsvFile['text'], RegExp][] = [
      [Buffer.from('sku,location_id,quantity\nM\u00FCsli,A,1', 'latin1'), /is not UTF-8/],
      [Buffer.from('PK\u0003\u0004\u0000\u0000sheet.xml', 'latin1'), /is not a CSV file/],
      ['', /has no rows/],
      ['sku,location_id,quantity\n', /has no rows/],
      ['sku,location_id,quantity\nSKU-1,"A,1\nSKU-2,A,2', /quotation mark of a cell that begins on line 2/],
      [`sku,location_id,quantity\n${rows}`, /more than 200,000 rows/],
    ]
    for (const [text, message] of files) {
      await choose(page, { name: 'file.csv', text })
      await page.getByRole('alert').getByText(message).waitFor()
    }
    const large = path.join(folder, 'large.csv')
    await writeFile(large, 'sku,location_id,quantity\n')
    await truncate(large, 50 * 1_048_576 + 1)
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose a CSV file' }).click(),
    ])
    await chooser.setFiles(large)
    await page.getByRole('alert').getByText('larger than 50 MiB').waitFor()
    await choose(page, { name: 'columns.csv', text: 'article,place,quantity\nSKU-1,A,1\n' })
    await page.getByText('Choose the column of: SKU or Product id, Location.').waitFor()
    expect(await page.getByRole('button', { name: 'Check', exact: true }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Field of article' }).click()
    await page.getByRole('option', { name: 'Quantity', exact: true }).click()
    await page.getByText('Two columns are Quantity.').waitFor()
  })

  it('needs the scope to import', async ({ window: { page }, tenant }) => {
    const key = await tenant.createKey({ scopes: ['read:stock', 'read:products'] })
    await signIn(page, key)
    await openScreen(page, '/stock/import')
    expect(await page.getByRole('button', { name: 'Choose a CSV file' }).isDisabled()).toBe(true)
    await page.getByText('This key lacks write:stock').first().waitFor()
  })
})
