// npm run bench:move -- [orders]
//
// Moves a tenant with this many orders, by default 10,000, between two Postgres in the temporary folder, while a caller adjusts its stock. Prints how long
// the move took and how long calls waited. A million orders take about 10 GB there, which are deleted at the end.
import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { runCommand } from '../../command-line/run-command.ts'
import { startPostgres } from '../../faults/support/postgres-servers.ts'
import { Adjuster } from '../../shards/support/adjuster.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'
import { fillTenant } from './fill-tenant.ts'

const POLL_MS = 200

const orders = Number(process.argv[2] ?? 10_000)
const seconds = (sinceMs: number): string => ((performance.now() - sinceMs) / 1_000).toFixed(1)

const postgres = [await startPostgres(), await startPostgres()] as const
const env = { DATABASE_URL: postgres[0].url, ENCRYPTION_KEY: 'encryption key of the benchmark' }
const client = new pg.Client({ connectionString: postgres[0].url })
let server: ServerProcess | undefined
try {
  server = await startServerProcess({ ...env, LOG_LEVEL: 'warn' })
  await command('shards', 'add', postgres[1].url)
  const tenant = JSON.parse(await command('tenants', 'create', 'moved', '--shard', '1', '--json'))
  await client.connect()
  const filledAt = performance.now()
  await fillTenant(client, tenant.tenant_id, orders)
  console.log(`${orders} orders filled in ${seconds(filledAt)} s`)
  const { rows } = await client.query('select min(id) as id from products where tenant_id = $1', [tenant.tenant_id])
  const caller = new Adjuster('caller', (reason) => adjust(tenant.api_key, Number(rows[0].id), reason))
  const startedAt = performance.now()
  const moving = command('tenants', 'move', String(tenant.tenant_id), '--to', '2', '--json')
  const watching = tellStates(tenant.tenant_id, startedAt)
  const { pause_ms } = JSON.parse(await moving)
  await watching
  console.log(`moved in ${seconds(startedAt)} s; calls waited ${pause_ms} ms, a caller ${Math.round(caller.longestGapMs)} ms`)
  await caller.stop()
  console.log(`${caller.acknowledged.length} adjustments meanwhile, ${caller.refused} refused, faults: ${caller.faults.length}`)
  console.log(
    `load of the machine: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  )
} finally {
  await client.end()
  await server?.end('SIGTERM')
  for (const one of postgres) await one.remove()
}

/** Prints when the move came to each of its states. */
async function tellStates(id: number, startedAt: number): Promise<void> {
  for (let told = ''; told !== 'settled'; await delay(POLL_MS)) {
    const { rows } = await client.query('select state from moved_tenants where id = $1', [id])
    const state: string = rows[0]?.state ?? told
    if (state !== told) console.log(`${seconds(startedAt)} s: ${state}`)
    told = state
  }
}

async function command(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runCommand(args, env)
  if (stderr !== '') console.log(stderr.trim())
  if (exitCode !== 0) throw new Error(stderr)
  return stdout
}

async function adjust(key: string, product_id: number, reason: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${server?.url}/api/v1/stock/adjustment`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ product_id, location_id: 'A-1', adjustment_quantity: 1, reason }),
  })
  return { status: response.status, body: await response.json() }
}
