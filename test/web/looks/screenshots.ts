/**
 * Takes the screenshots of the README (`npm run screenshots`): starts the service on a database of its own, fills it over the API, signs
 * in, and photographs the main screens; and those of a demo that is at work (`npm run screenshots demo` takes them alone).
 */
import { writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page, Route } from 'playwright-core'
import { launchBrowser } from '../../support/browser.ts'
import { createPhotoData } from './photo-data.ts'
import { type PhotoService, startDemo, startPhotoService } from './photo-service.ts'

const FOLDER = new URL('../../../docs/images/', import.meta.url)
const MAX_BYTES = 60_000
const QUALITY = 60

/** The records were made just now. Their times are spread over a working day, so that a picture changes only when its screen does. */
const NOW = new Date('2026-11-30T16:00:00Z')
const STEP_MS = 7 * 60_000 + 13_000

const DESK = { width: 1_120, height: 700 }
const PHONE = { width: 390, height: 700 }

interface Photo {
  name: string
  path: string
  viewport: { width: number; height: number }
  colorScheme: 'light' | 'dark'
  /** Shows the times as they are: it is another picture whenever it is taken. */
  isLive?: boolean
}

const photosOf = ({ orderId, webhookId }: { orderId: number; webhookId: number }): Photo[] => [
  { name: 'orders', path: '/orders', viewport: DESK, colorScheme: 'light' },
  { name: 'stock', path: '/stock', viewport: DESK, colorScheme: 'dark' },
  { name: 'webhook', path: `/webhooks/${webhookId}`, viewport: DESK, colorScheme: 'light' },
  { name: 'order-phone', path: `/orders/${orderId}`, viewport: PHONE, colorScheme: 'light' },
]

const DEMO: Photo = { name: 'demo', path: '/', viewport: { ...DESK, height: 1_020 }, colorScheme: 'light', isLive: true }
/** So much happens before the picture is taken. */
const DEMO_MS = 40_000

const browser = await launchBrowser()
if (!process.argv.includes('demo')) {
  await using service = await startPhotoService()
  const data = await createPhotoData(service.call)
  for (const photo of photosOf(data)) await takePhoto(browser, service, photo)
  data.close()
}
{
  await using demo = await startDemo()
  await sleep(DEMO_MS)
  await takePhoto(browser, demo, DEMO)
}
await browser.close()

async function takePhoto(
  browser: Browser,
  { url, key }: PhotoService,
  { name, path, viewport, colorScheme, isLive = false }: Photo,
): Promise<void> {
  const context = await browser.newContext({ baseURL: url, locale: 'en-US', timezoneId: 'UTC', viewport, colorScheme })
  const page = await context.newPage()
  if (!isLive) {
    await page.clock.setFixedTime(NOW)
    await page.route('**/dashboard/api/**', withFixedTimes)
  }
  await page.goto(`/dashboard/sign-in?next=${encodeURIComponent(path)}`)
  await page.getByRole('textbox', { name: 'API key' }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('row').nth(1).waitFor()
  await page.waitForLoadState('networkidle')
  const bytes = await webpOf(page)
  if (bytes.length > MAX_BYTES) throw new Error(`${name}.webp has ${bytes.length} bytes: more than ${MAX_BYTES}`)
  await writeFile(new URL(`${name}.webp`, FOLDER), bytes)
  console.log(`docs/images/${name}.webp  ${(bytes.length / 1_000).toFixed(1)} kB`)
  await context.close()
}

/** WebP, which is a third of a PNG; Playwright itself writes none. */
async function webpOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
  return Buffer.from(data, 'base64')
}

/** Each time of a response by its rank among them. */
async function withFixedTimes(route: Route): Promise<void> {
  const response = await route.fetch()
  const text = await response.text()
  const found = [...text.matchAll(/"(\d{4}-\d{2}-\d{2}T[\d:.]+Z)"/g)].map(([, time = '']) => time)
  const newestFirst = [...new Set(found)].toSorted().toReversed()
  const fixed = (time: string): string => new Date(NOW.getTime() - (newestFirst.indexOf(time) + 1) * STEP_MS).toISOString()
  await route.fulfill({ response, body: text.replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, fixed) })
}
