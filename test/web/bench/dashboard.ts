import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import pg from 'pg'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { insertApiKey } from '@fulfillment/server/domain/api-keys/index.ts'
import { createTenant } from '@fulfillment/server/domain/tenants/index.ts'
import { median, quantile } from '../../bench/measure.ts'
import type { Bench, Measurement } from '../../bench/row.ts'
import { type ServerProcess, startService } from '../../bench/servers.ts'
import { call } from '../../bench/service-client.ts'
import { launchBrowser } from '../../support/browser.ts'
import { type PageClient, signedIn } from '../support/page-client.ts'
import { signIn } from '../support/page-server.ts'

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

/** What the pulses of many tabs of one browser add to what one call of the session costs: the server keeps a session for less than a second. */
export async function measureOpenTabs({ database, short }: Bench): Promise<Measurement> {
  const periodMs = short ? 2_000 : 30_000
  return await withTenant(database.url, async ({ server, key }) => {
    const client = await signedIn(`http://127.0.0.1:${server.port}`, key)
    const tabs = Array.from({ length: TABS }, () => client)
    const idle = await transactionsASecond(database.url, periodMs, [], '/dashboard/session')
    const session = await transactionsASecond(database.url, periodMs, tabs, '/dashboard/session')
    const pulse = await transactionsASecond(database.url, periodMs, tabs, '/dashboard/pulse')
    const rate = pulse - session
    const notes = [
      `${TABS} tabs: ${pulse.toFixed(2)} transactions a second, of which ${(session - idle).toFixed(2)} read their session and ${idle.toFixed(2)} are those of an idle server`,
    ]
    return { ...NO_NOISE, ratio: rate, median: rate, notes }
  })
}

/** Transactions a second of the database while these tabs ask for a path, each every three seconds. A statement by itself is a transaction. */
async function transactionsASecond(url: string, periodMs: number, tabs: readonly PageClient[], path: string): Promise<number> {
  const ended = new AbortController()
  const asking = tabs.map(async (tab, index) => {
    const wait = (ms: number) => delay(ms, undefined, { signal: ended.signal }).catch(() => {})
    await wait((PULSE_MS * index) / tabs.length)
    while (!ended.signal.aborted) {
      const { status, text } = await tab.send('GET', path, undefined, { 'x-page-background': '1', 'x-page-mode': 'live' })
      if (status !== 200) throw new Error(`${path}: ${text}`)
      await wait(PULSE_MS)
    }
  })
  const period = countTransactions(url, periodMs).finally(() => ended.abort())
  const [counted] = await Promise.all([period, ...asking])
  return counted
}

/** Begins when every tab has asked once. Postgres publishes the counts of a connection within a second of its last statement. */
async function countTransactions(url: string, periodMs: number): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const read = async (): Promise<{ commits: number; at: number }> => {
    const { rows } = await client.query(
      `select xact_commit::float8 as commits, extract(epoch from clock_timestamp())::float8 as at from pg_stat_database where datname = current_database()`,
    )
    return rows[0] as { commits: number; at: number }
  }
  try {
    await delay(PULSE_MS)
    const before = await read()
    await delay(periodMs)
    const after = await read()
    return (after.commits - before.commits) / (after.at - before.at)
  } finally {
    await client.end()
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
  const db = openDatabase(url, { maxConnections: 2, pipelinedConnections: 1 })
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
