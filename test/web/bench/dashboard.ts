import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { insertApiKey } from '@fulfillment/server/domain/api-keys/index.ts'
import * as pulseStatements from '@fulfillment/server/domain/events/pulse-statements.ts'
import { createTenant } from '@fulfillment/server/domain/tenants/index.ts'
import { median, quantile } from '../../bench/measure.ts'
import type { Bench, Measurement } from '../../bench/row.ts'
import { type ServerProcess, startService } from '../../bench/servers.ts'
import { call } from '../../bench/service-client.ts'
import { launchBrowser } from '../../support/browser.ts'
import { signedIn } from '../support/page-client.ts'
import { signIn } from '../support/page-server.ts'
import { startStatementCounter } from './statement-counter.ts'

const LIVE_MS = 4_000
const ORDERS = 30
const IMPORTED_ROWS = 200_000
const IMPORT_SECONDS = 300
/** For every wait of an import. */
const LONGEST_WAIT_MS = 3_600_000
const TABS = 50
/** A page asks for the pulse so often. */
const PULSE_MS = 3_000

const NO_NOISE = { spread: 0, foreignCores: NaN }

/** Orders are made at any time between two pulses. The list is watched as a person sees it: by its rows. */
export async function measureLiveList({ database, short }: Bench): Promise<Measurement> {
  return await withTenant(database.url, async ({ server, key }) => {
    const order = (name: string): Promise<unknown> =>
      call(server, key, 'POST', '/orders', {
        order_tenant_id: name,
        assembly_date: '2030-01-15',
        order_detail: [{ barcode: '1', quantity: 1 }],
      })
    await call(server, key, 'POST', '/products', { name: 'Tea', barcode: '1' })
    await order('SHOP-0')
    return await withPage(server, async (page) => {
      await signIn(page, key, '/orders')
      await page.getByRole('link', { name: 'SHOP-0', exact: true }).waitFor()
      const times: number[] = []
      for (let number = 1; number <= (short ? 3 : ORDERS); number++) {
        await delay((PULSE_MS * ((number * 7) % ORDERS)) / ORDERS)
        await order(`SHOP-${number}`)
        const madeAt = performance.now()
        await page.getByRole('link', { name: `SHOP-${number}`, exact: true }).waitFor()
        times.push(performance.now() - madeAt)
      }
      const at = (part: number): string => `${(quantile(times, part) / 1_000).toFixed(2)} s`
      const notes = [`${times.length} orders: p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)}`]
      return { ...NO_NOISE, ratio: quantile(times, 0.95) / LIVE_MS, median: median(times), notes }
    })
  })
}

/** Every step of an import of new products, as a user takes it. */
export async function measureImport({ database, short }: Bench): Promise<Measurement> {
  const rows = short ? 2_000 : IMPORTED_ROWS
  return await withTenant(database.url, async ({ server, key }) =>
    withPage(server, async (page) => {
      page.setDefaultTimeout(LONGEST_WAIT_MS)
      await signIn(page, key, '/products/import')
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Choose a CSV file' }).click(),
      ])
      const check = page.getByRole('button', { name: 'Check', exact: true })
      const counts = `${rows.toLocaleString('en')} new, 0 changed, 0 with errors.`
      const read = await seconds(async () => {
        await chooser.setFiles({ name: 'catalog.csv', mimeType: 'text/csv', buffer: Buffer.from(catalogOf(rows)) })
        await check.waitFor()
      })
      const checked = await seconds(async () => {
        await check.click()
        await page.getByText(`${counts} Nothing is imported yet.`).last().waitFor()
      })
      const imported = await seconds(async () => {
        await page.getByRole('button', { name: `Import ${rows.toLocaleString('en')} rows` }).click()
        await page.getByText(`${counts} The import is complete.`).last().waitFor()
      })
      const { pagination } = await call<{ pagination: { total: number } }>(server, key, 'GET', '/products?limit=1')
      if (pagination.total !== rows) throw new Error(`${pagination.total} products are there`)
      const all = read + checked + imported
      const parts = [`read ${read.toFixed(1)} s`, `checked ${checked.toFixed(1)} s`, `imported ${imported.toFixed(1)} s`]
      return { ...NO_NOISE, ratio: all / IMPORT_SECONDS, median: all, notes: [`${rows} rows: ${parts.join(', ')}`] }
    }),
  )
}

const catalogOf = (rows: number): string =>
  [
    'sku,name,barcode,category,price',
    ...Array.from({ length: rows }, (_, index) => `SKU-${index},"Tea no. ${index}, loose",${1_000_000 + index},Tea,4.9`),
  ].join('\n')

/** The statements that the pulses of many tabs cost. Those of their session and of the server's own work are not counted. */
export async function measureOpenTabs({ database, short }: Bench): Promise<Measurement> {
  const counter = await startStatementCounter(database.url)
  const read = (): number => PULSE_STATEMENTS.reduce((sum, name) => sum + (counter.executions.get(name) ?? 0), 0)
  try {
    return await withTenant(counter.url, async ({ server, key }) => {
      const tabs = await openTabs(server, key)
      // Until every tab has asked once.
      await delay(PULSE_MS)
      const [before, startedAt] = [read(), performance.now()]
      await delay(short ? 2_000 : 30_000)
      const rate = (read() - before) / ((performance.now() - startedAt) / 1_000)
      const pulses = await tabs.close()
      if (before === 0) throw new Error('No statement of a pulse was counted')
      return {
        ...NO_NOISE,
        ratio: rate,
        median: rate,
        notes: [`${TABS} tabs, ${pulses} pulses: ${rate.toFixed(2)} statements a second`],
      }
    })
  } finally {
    counter.close()
  }
}

const PULSE_STATEMENTS = Object.values(pulseStatements).flatMap((one) => (typeof one === 'object' ? [one.name] : []))

/** Tabs of one browser, each of which asks for the pulse every three seconds. */
async function openTabs({ port }: ServerProcess, key: string): Promise<{ close(): Promise<number> }> {
  const client = await signedIn(`http://127.0.0.1:${port}`, key)
  const ended = new AbortController()
  const wait = (ms: number): Promise<void> => delay(ms, undefined, { signal: ended.signal }).catch(() => {})
  let pulses = 0
  const asking = Array.from({ length: TABS }, async (_, index) => {
    await wait((PULSE_MS * index) / TABS)
    for (; !ended.signal.aborted; pulses++) {
      const headers = { 'x-page-background': '1', 'x-page-mode': 'live' }
      const { status, text } = await client.send('GET', '/dashboard/pulse', undefined, headers)
      if (status !== 200) throw new Error(`pulse: ${text}`)
      await wait(PULSE_MS)
    }
  })
  const all = Promise.all(asking)
  // Its failure is thrown by `close`.
  all.catch(() => {})
  return {
    close: async () => {
      ended.abort()
      await all
      return pulses
    },
  }
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1_000
}

async function withPage<T>(server: ServerProcess, work: (page: Page) => Promise<T>): Promise<T> {
  const browser = await launchBrowser()
  try {
    const context = await browser.newContext({ baseURL: `http://127.0.0.1:${server.port}`, locale: 'en-US', timezoneId: 'UTC' })
    return await work(await context.newPage())
  } finally {
    await browser.close()
  }
}

/** A server and a new tenant. */
async function withTenant<T>(url: string, work: (tenant: { server: ServerProcess; key: string }) => Promise<T>): Promise<T> {
  const db = openDatabase(url, { exclusiveConnections: 2, pipelinedConnections: 1 })
  const { id } = await createTenant(db, 'benchmark of the dashboard')
  const { key } = await insertApiKey(db, id, 'live', { name: 'benchmark', scopes: ['admin'] })
  await db.close()
  const server = await startService(url)
  try {
    return await work({ server, key })
  } finally {
    await server.stop()
  }
}
