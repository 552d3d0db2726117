import { Agent } from 'undici'
import { DocumentedResponses } from '../support/fits-document.ts'
import { until } from '../support/receiver.ts'
import { Finding, type Client, type Step, type Surroundings } from './client.ts'
import { causeFaults, type FaultKind } from './faults/faults.ts'
import type { Installation } from './installation.ts'
import { OPERATIONS } from './operations.ts'
import { compareDeliveries, deliverAll } from './quiet/compare-deliveries.ts'
import { renewSharedOrders } from './quiet/shared-orders.ts'
import { renewInbound } from './quiet/compare-shared.ts'
import { readFeed } from './quiet/compare-feed.ts'
import { compareWorld } from './quiet/quiet-point.ts'
import { switchPolicy } from './quiet/switch-policy.ts'
import { Random } from './random.ts'
import { Tools } from './tools.ts'
import { makeWorlds, planWorlds, type World } from './world.ts'

/*
 * A simulation of the whole service: random clients, faults at any moment, and a model that says what must come of it.
 *
 * Exact: every answer to a client, because its records are its own and its calls come one after the other; at quiet points, all that can be
 * read of these records, and their events in the feed. By invariants: the product that all clients of a tenant share, the order of the feed
 * between records, deliveries, audit entries and `GET /stock/reconcile`. Operations marked `isUnchecked`: only that they succeed, and that
 * the answer fits the document.
 */

export interface SimulationOptions {
  seed: number
  /** How long clients call, in all. */
  durationMs: number
  clients: number
  faults: ReadonlySet<FaultKind>
  document: Record<string, unknown>
  /** Average time between a client's calls. */
  pauseMs?: number
  /** Time between quiet points. */
  roundMs?: number
  /** Longest time between faults. */
  restMs?: number
  log?: (line: string) => void
}

export interface Report {
  calls: number
  events: number
  quietPoints: number
  faults: Map<string, number>
  /** What was found, in which of the tenants, and the calls of the client that found it. */
  finding: { message: string; world: string; history: readonly Step[] } | undefined
}

/**
 * Lets the clients call and the faults happen, and compares everything at quiet points. Ends with the first finding.
 *
 * The calls of a client depend on the seed and on what it knows of its own records, not on when they are answered: it can be played again
 * alone.
 */
export async function simulate(installation: Installation, options: SimulationOptions): Promise<Report> {
  const { seed, durationMs, clients, faults, pauseMs = 0, roundMs = 12_000, restMs = 1_500, log = () => {} } = options
  const random = new Random(seed)
  const surroundings = surroundingsOf(installation, options)
  const worlds = await makeWorlds(installation, planWorlds(clients), surroundings, seed)
  const report: Report = { calls: 0, events: 0, quietPoints: 0, faults: new Map(), finding: undefined }
  for (const world of worlds) {
    await renewInbound(world)
    await renewSharedOrders(world)
  }
  const endsAt = Date.now() + durationMs
  try {
    while (Date.now() < endsAt) {
      const roundEndsAt = Math.min(Date.now() + roundMs, endsAt)
      await round(installation, worlds, faults, roundEndsAt, pauseMs, restMs, random, report)
      for (const world of worlds) {
        await compareWorld(installation, world)
        await switchPolicy(world, random)
        await renewSharedOrders(world)
      }
      report.quietPoints++
      count(report, worlds)
      log(
        `${report.calls} calls, ${report.events} events, ${[...report.faults.values()].reduce((a, b) => a + b, 0)} faults; all as the model says`,
      )
    }
    await deliverAll(installation)
    for (const world of worlds) {
      // What the last quiet point itself has done.
      await readFeed(world)
      compareDeliveries(installation, world)
    }
  } catch (error) {
    if (!(error instanceof Finding)) throw error
    const world = worlds.find(({ clients }) => clients.includes(error.client as Client))
    report.finding = { message: error.message, world: world?.name ?? '', history: error.client?.history ?? [] }
  } finally {
    count(report, worlds)
    await surroundings.dispatcher.destroy()
  }
  return report
}

export function surroundingsOf(installation: Installation, { document }: SimulationOptions): Surroundings {
  return {
    urls: installation.servers.map(({ network }) => network.url),
    dispatcher: new Agent({ connections: 64 }),
    documented: new DocumentedResponses(document),
    tools: new Tools(document),
    operations: OPERATIONS,
  }
}

function count(report: Report, worlds: readonly World[]): void {
  report.calls = worlds.flatMap((world) => world.clients).reduce((calls, { history }) => calls + history.length, 0)
  report.events = worlds.reduce((events, { feed }) => events + feed.ids.size, 0)
}

/** Clients call while faults happen. The first finding ends all of them. */
async function round(
  installation: Installation,
  worlds: readonly World[],
  faults: ReadonlySet<FaultKind>,
  endsAt: number,
  pauseMs: number,
  restMs: number,
  random: Random,
  report: Report,
): Promise<void> {
  let failed = false
  const isOver = (): boolean => failed || Date.now() > endsAt
  const work = worlds.flatMap(({ clients }) =>
    clients.map(async (client: Client) => {
      try {
        await client.work(isOver, pauseMs)
      } catch (error) {
        failed = true
        throw error
      }
    }),
  )
  const outcomes = await Promise.allSettled([causeFaults(installation, faults, isOver, restMs, random, report.faults), ...work])
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  for (const { process } of installation.servers)
    await until(
      async () => (await fetch(`${process.url}/readyz`).catch(() => undefined))?.status === 200,
      'a server that is ready',
    )
}
