import type { BrowserContext, Page } from 'playwright-core'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { insertApiKey } from '@fulfillment/server/domain/api-keys/index.ts'
import { createTenant } from '@fulfillment/server/domain/tenants/index.ts'
import { launchBrowser } from '../../support/browser.ts'
import { scan } from '../support/picking-day/hands.ts'
import { Scanner } from '../support/scanner.ts'
import { type ServerProcess, startService } from '../../bench/servers.ts'
import { call } from '../../bench/service-client.ts'

/** The scan app without a connection, on the Pick screen of an order of one product, with entries of other orders in its queue. */
export interface BenchDevice {
  page: Page
  context: BrowserContext
  scanner: Scanner
  /** Barcode of the product. */
  barcode: string
  stop(): Promise<void>
}

const LINES = 500
/** More than is ever scanned. */
const PLENTY = 100_000
const PAGE = 100

/** Starts the service, a browser and the scan app, and picks `waiting` lines that stay in the queue: a multiple of 500. */
export async function startBenchDevice(databaseUrl: string, waiting: number): Promise<BenchDevice> {
  const server = await startService(databaseUrl)
  const browser = await launchBrowser()
  const baseURL = `http://127.0.0.1:${server.port}`
  const context = await browser.newContext({ baseURL })
  const page = await context.newPage()
  const scanner = await Scanner.at(page)
  const stop = async (): Promise<void> => {
    await browser.close()
    await server.stop()
  }
  try {
    const orders = await fillTenant(server, databaseUrl, waiting)
    await signIn(page, server, orders.key)
    for (const name of ['one', ...orders.names]) await start(page, name)
    await context.setOffline(true)
    for (const name of orders.names) {
      await open(page, name)
      for (const code of ['A-1', ...orders.codes]) await heard(scan(page, code))
    }
    await open(page, 'one')
    await heard(scan(page, 'B-1'))
    return { page, context, scanner, barcode: 'one', stop }
  } catch (error) {
    await stop()
    throw error
  }
}

interface Orders {
  key: string
  /** Identifiers of the orders whose picks will wait, each of 500 lines. */
  names: string[]
  /** Barcodes of their products. */
  codes: string[]
}

async function fillTenant(server: ServerProcess, databaseUrl: string, waiting: number): Promise<Orders> {
  const db = openDatabase(databaseUrl, { exclusiveConnections: 2, pipelinedConnections: 1 })
  const { id } = await createTenant(db, 'benchmark of the scan app')
  const { key } = await insertApiKey(db, id, 'live', { name: 'benchmark', scopes: ['admin'] })
  await db.close()
  const post = <T>(path: string, body: object): Promise<T> => call<T>(server, key, 'POST', path, body)
  const codes = Array.from({ length: LINES }, (_, index) => `P${String(index).padStart(4, '0')}`)
  await post('/products/bulk', { products: codes.map((code) => ({ barcode: code, sku: code, name: code })) })
  const one = await post<{ id: number }>('/products', { barcode: 'one', sku: 'one', name: 'one' })
  const updates = [{ product_id: one.id, location_id: 'B-1', quantity: PLENTY }]
  for (let page = 1; page <= LINES / PAGE; page++) {
    const path = `/products?limit=${PAGE}&page=${page}&search=P0`
    const { products } = await call<{ products: { id: number }[] }>(server, key, 'GET', path)
    updates.push(...products.map(({ id }) => ({ product_id: id, location_id: 'A-1', quantity: PLENTY })))
  }
  await post('/stock/bulk', { updates: updates.slice(1) })
  await post('/stock/bulk', { updates: updates.slice(0, 1) })
  const assembly_date = '2026-03-02'
  await post('/orders', { order_tenant_id: 'one', assembly_date, order_detail: [{ barcode: 'one', quantity: PLENTY }] })
  const names = Array.from({ length: waiting / LINES }, (_, index) => `many-${index}`)
  const order_detail = codes.map((barcode) => ({ barcode, quantity: 1 }))
  for (const order_tenant_id of names) await post('/orders', { order_tenant_id, assembly_date, order_detail })
  return { key, names, codes }
}

async function signIn(page: Page, server: ServerProcess, key: string): Promise<void> {
  const { url } = await call<{ url: string }>(server, key, 'POST', '/devices/codes', { device_name: 'Benchmark' })
  const operator = await call<{ id: number }>(server, key, 'POST', '/operators', { name: 'Ada', email: 'ada@example.com' })
  const { badge } = await call<{ badge: string }>(server, key, 'POST', `/operators/${operator.id}/badge`, {})
  await page.goto(`/scan${new URL(url).hash}`)
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
  await heard(scan(page, badge))
}

/** Starts an order, and leaves it. */
async function start(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  await heard(scan(page, name))
  await page.getByRole('progressbar', { name: 'Lines' }).waitFor()
  await page.goto('/scan#/queue')
}

async function open(page: Page, name: string): Promise<void> {
  await page.goto('/scan#/queue')
  await page.getByRole('button', { name: `Go on with ${name}` }).click()
  await page.getByRole('progressbar', { name: 'Lines' }).waitFor()
}

async function heard(act: ReturnType<typeof scan>): Promise<void> {
  const { outcome } = await act
  if (outcome === 'problem' || outcome === 'none') throw new Error(`A scan has the outcome ${outcome}`)
}
