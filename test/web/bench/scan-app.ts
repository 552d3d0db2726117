import type { Page } from 'playwright-core'
import { median, quantile } from '../../bench/measure.ts'
import type { Bench, Measurement } from '../../bench/row.ts'
import { type BenchDevice, startBenchDevice } from './bench-device.ts'

const SLOWER = 4
const WAITING = 500
const VERDICT_MS = 50
const SENT = 1_000
const SEND_SECONDS = 60

/** Scans on a slow device whose queue is long. */
export async function measureVerdicts({ database, short }: Bench): Promise<Measurement> {
  const device = await startBenchDevice(database.url, WAITING)
  try {
    const { page, context } = device
    const cdp = await context.newCDPSession(page)
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
    // The first ones compile the code.
    await scanTimes(device, short ? 2 : 20)
    const durations = await scanTimes(device, short ? 5 : 200)
    return {
      ratio: quantile(durations, 0.95) / VERDICT_MS,
      median: median(durations),
      spread: (quantile(durations, 0.75) - quantile(durations, 0.25)) / median(durations),
      foreignCores: NaN,
      notes: [describe(durations)],
    }
  } finally {
    await device.stop()
  }
}

/** The queue of a device that comes back online. */
export async function measureSending({ database }: Bench): Promise<Measurement> {
  const device = await startBenchDevice(database.url, SENT)
  try {
    const { page, context } = device
    await scanTimes(device, 5)
    const startedAt = performance.now()
    await context.setOffline(false)
    const durations: number[] = []
    while (await isSending(page)) durations.push(...(await scanTimes(device, 1)))
    const seconds = (performance.now() - startedAt) / 1000
    return {
      ratio: seconds / SEND_SECONDS,
      median: seconds,
      spread: 0,
      foreignCores: NaN,
      notes: [`verdicts meanwhile: ${describe(durations)}`],
    }
  } finally {
    await device.stop()
  }
}

const isSending = async (page: Page): Promise<boolean> =>
  (await page.getByRole('status', { name: 'Connection' }).textContent()) !== 'Online'

/** Milliseconds from the last key of each scan to its verdict. */
async function scanTimes({ page, scanner, barcode }: BenchDevice, scans: number): Promise<number[]> {
  await page.evaluate(() => performance.clearMeasures('scan'))
  for (let scan = 1; scan <= scans; scan++) {
    await scanner.scanNow(barcode)
    await page.waitForFunction((heard) => performance.getEntriesByName('scan').length >= heard, scan)
  }
  return await page.evaluate(() => performance.getEntriesByName('scan').map(({ duration }) => duration))
}

function describe(durations: readonly number[]): string {
  const at = (part: number): string => `${quantile(durations, part).toFixed(1)} ms`
  return `${durations.length} scans, p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)}`
}
