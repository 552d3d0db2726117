import { sql } from 'kysely'
import { Finding } from '../client.ts'
import type { Installation } from '../installation.ts'
import type { Data } from '../operation.ts'
import { until } from '../../support/receiver.ts'
import type { World } from '../world.ts'
import { compareClient } from './compare-client.ts'
import { compareReceived, expectDeliveries } from './compare-deliveries.ts'
import { compareReports } from './compare-reports.ts'
import { compareShared, renewInbound } from './compare-shared.ts'
import { compareEvents, readFeed, strayEvent } from './compare-feed.ts'
import { compareSharedOrders } from './shared-orders.ts'
import { allByCursor, readSnapshot } from './snapshot.ts'

/** While no client calls and no fault lasts: compares everything that can be read with the models. */
export async function compareWorld(installation: Installation, world: World): Promise<void> {
  await untilIdle(installation)
  const snapshot = await readSnapshot(world)
  const events = await readFeed(world)
  for (const client of world.clients) {
    const compare = (): string | undefined => compareClient(client.state, snapshot) ?? compareEvents(client, events)
    let found = compare()
    if (client.pending !== undefined) {
      const { operation, input } = client.pending
      // It either happened or did not: what can be read tells which.
      if (found === undefined) client.pending = undefined
      else client.acceptPending()
      found &&= compare()?.concat(`, also if the lost call ${operation.id} ${JSON.stringify(input)} happened; otherwise ${found}`)
    }
    if (found !== undefined) throw new Finding(`${client.state.name}: ${found}`, client)
  }
  const found =
    strayEvent(world, events) ??
    compareShared(world, snapshot, events) ??
    (await compareReports(world, snapshot)) ??
    (await compareSharedOrders(world))
  if (found !== undefined) throw new Finding(`${world.name}: ${found}`)
  expectDeliveries(world, events)
  compareReceived(installation, world)
  await reconcile(world)
  await compareAudit(world)
  const wrong = await renewInbound(world)
  if (wrong !== undefined) throw new Finding(`${world.name}: ${wrong}`)
  for (const { state } of world.clients) state.events = []
}

/** Waits until no statement of a client runs: a call whose answer was lost may still have been under way. */
async function untilIdle({ db }: Installation): Promise<void> {
  let quiet = 0
  await until(async () => {
    const { rows } = await sql<{ busy: number }>`
      select count(*)::int as busy from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state in ('active', 'idle in transaction')`.execute(
      db.kysely,
    )
    quiet = rows[0]?.busy === 0 ? quiet + 1 : 0
    return quiet >= 3
  }, 'a quiet database')
}

async function reconcile(world: World): Promise<void> {
  const differences = await allByCursor(world, '/stock/reconcile?limit=100', 'differences')
  if (differences.length > 0) throw new Finding(`${world.name}: reconcile found ${JSON.stringify(differences)}`)
}

/** Each acknowledged write is in the audit log, without an error. */
async function compareAudit(world: World): Promise<void> {
  const wanted = new Set(world.clients.flatMap(({ audited }) => audited.splice(0)))
  let cursor: string | null = null
  while (wanted.size > 0) {
    const page: Data = await world.read(`/audit-log?limit=100${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
    for (const { request_id, error } of page.entries) if (error === null) wanted.delete(request_id)
    cursor = page.next_cursor
    if (cursor === null) break
  }
  if (wanted.size > 0) throw new Finding(`${world.name}: the audit log lacks ${[...wanted].slice(0, 5).join(', ')}`)
}
