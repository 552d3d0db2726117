import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { FulfillmentClient } from '../command-line/sdk.ts'
import type { Config } from '../config.ts'
import { connect } from '../connect.ts'
import { migrate } from '../database/migrate.ts'
import { isBuilt } from '../http/pages/built-pages.ts'
import { dashboardLink } from '../http/pages/dashboard-link.ts'
import { startServer } from '../server.ts'
import { type FilledTenant, fillTenant, type FillOptions } from './fill-tenant.ts'
import { Journal } from './live/journal.ts'
import { runLive } from './live/run-live.ts'
import { requireOnlyDemos } from './require-demo-database.ts'

export interface DemoOptions extends FillOptions {
  /** Orders a minute. */
  rate: number
  minutes: number
  live: boolean
  /** Refuses the data folder of a server: it would deliver the webhooks of its tenants. */
  onlyDemos?: boolean
}

/** What a demo was. */
export interface DemoRun {
  url: string
  filled: FilledTenant
  /** Undefined without a live part. */
  journal: Journal | undefined
}

const MAX_PORTS = 100
/** Of the demo's own calls, besides those of the user. */
const RATE_LIMIT = 6_000
const SWITCHING_POLL_MS = 50

/** Fills the tenant of a demo, serves the API, and plays a warehouse until the signal, or until the minutes are over. */
export async function runDemo(
  config: Config,
  options: DemoOptions,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<DemoRun> {
  const startedAt = performance.now()
  const connection = await connect(config, () => {})
  try {
    // A database of DATABASE_URL was asked before the service connected to it.
    if (config.databaseUrl === undefined && options.onlyDemos === true)
      await requireOnlyDemos(connection.db.dedicatedPool, '--data-dir')
    await connection.db.withoutTimeLimits(migrate)
    const filled = await fillTenant(connection.db, options)
    const port = await freePort(config)
    const limits = { rateLimitPerMinute: RATE_LIMIT, tenantRateLimitPerMinute: RATE_LIMIT * 10 }
    const server = await startServer({ ...config, ...limits, role: 'all', port })
    try {
      const url = server.url ?? ''
      const client = new FulfillmentClient({ baseUrl: url, apiKey: filled.key })
      announce(config, url, filled, options, performance.now() - startedAt, print)
      await reserveStock(client)
      const journal = options.live ? new Journal(print) : undefined
      if (journal !== undefined) await playUntil(client, journal, options, signal).finally(() => print(`\n${journal.summary}`))
      return { url, filled, journal }
    } finally {
      await server.stop()
    }
  } finally {
    await connection.close()
  }
}

async function playUntil(
  client: FulfillmentClient,
  journal: Journal,
  { seed, rate, minutes }: DemoOptions,
  signal: AbortSignal,
): Promise<void> {
  const isOver = AbortSignal.any([signal, AbortSignal.timeout(minutes * 60_000)])
  await runLive(client, journal, { seed, rate, signal: isOver })
}

/** Turns reserving on. The server reserves for the open orders in the background. */
async function reserveStock(client: FulfillmentClient): Promise<void> {
  await client.settings.update({ reservation_policy: 'track' })
  while ((await client.settings.get()).reservation_state !== 'ready') await sleep(SWITCHING_POLL_MS)
}

function announce(
  config: Config,
  url: string,
  { world, key, code }: FilledTenant,
  { seed, live }: DemoOptions,
  ms: number,
  print: (line: string) => void,
): void {
  const count = (number: number): string => number.toLocaleString('en-US')
  const contents =
    world === undefined
      ? 'goes on where it was'
      : `has ${count(world.products.length)} products, ${count(world.history.orders.length)} orders and ${count(world.history.movements.length)} stock movements`
  print(`\n  Tenant "Demo ${seed}" ${contents}, after ${(ms / 1_000).toFixed(1)} s\n`)
  const keyLine = `  Admin API key (shown only now)  ${key}`
  // The server of this command ends with it.
  if (!live) return print(`${keyLine}\n\n  The same command without --no-live serves the tenant.\n`)
  print(`  Fulfillment and Inventory API   ${url}/api/v1`)
  print(`  Reference                       ${url}/docs`)
  print(keyLine)
  const link = dashboardLink(config, url, code)
  if (link !== undefined)
    print(
      isBuilt('dashboard') ? `  Dashboard (once, 15 minutes)    ${link}` : '  Dashboard (not built)           run npm run build',
    )
  print('\n  Ctrl-C ends the demo.\n')
}

/** The port of the settings, or the next one that is free. */
async function freePort({ port, host }: Config): Promise<number> {
  for (let candidate = port; candidate < port + MAX_PORTS && candidate <= 65_535; candidate++)
    if (await isFree(candidate, host)) return candidate
  throw new Error(`PORT: ${port} and the ports after it are in use`)
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host }, () => server.close(() => resolve(true)))
  })
}
