import { setTimeout as delay } from 'node:timers/promises'
import { postmasterOf, signalPostgres } from '../../faults/support/postgres-processes.ts'
import { until } from '../../support/receiver.ts'
import type { Installation, Server } from '../installation.ts'
import type { Random } from '../random.ts'
import { FAIR } from './network.ts'

export const FAULT_KINDS = ['kill', 'freeze', 'network', 'clock', 'disk'] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

/** A fault that begins, lasts, and ends before the next one. */
interface Fault {
  name: string
  kind: FaultKind
  needsPostgres?: true
  needsDisk?: true
  happen: (installation: Installation, server: Server, random: Random) => Promise<void>
}

const LONGEST_MS = 2_000

const FAULTS: readonly Fault[] = [
  {
    name: 'SIGKILL of a server',
    kind: 'kill',
    happen: async (_, server, random) => {
      await server.process.end('SIGKILL')
      await delay(random.int(0, 1_000))
      await server.start()
    },
  },
  {
    name: 'a server stops and starts',
    kind: 'kill',
    happen: async (_, server) => {
      await server.process.end('SIGTERM')
      await server.start()
    },
  },
  {
    name: 'SIGKILL of everything',
    kind: 'kill',
    happen: async (installation) => {
      const all = [...installation.servers, ...installation.workers]
      const killed = Promise.all(all.map(({ process }) => process.end('SIGKILL')))
      if (installation.dataDir !== undefined) await killPostgres(installation.dataDir)
      await killed
      for (const server of all) await server.start()
    },
  },
  {
    name: 'SIGKILL of Postgres',
    kind: 'kill',
    needsPostgres: true,
    happen: async ({ dataDir }) => await killPostgres(dataDir as string),
  },
  {
    name: 'SIGSTOP of a server',
    kind: 'freeze',
    happen: async (_, { process }, random) => {
      process.child.kill('SIGSTOP')
      await delay(random.int(100, LONGEST_MS))
      process.child.kill('SIGCONT')
    },
  },
  {
    name: 'SIGSTOP of Postgres',
    kind: 'freeze',
    needsPostgres: true,
    happen: async ({ dataDir }, _, random) => {
      if (runningPostmaster(dataDir as string) === undefined) return
      signalPostgres(dataDir as string, 'SIGSTOP')
      await delay(random.int(100, LONGEST_MS))
      signalPostgres(dataDir as string, 'SIGCONT')
    },
  },
  {
    name: 'clients lose connections within requests and answers',
    kind: 'network',
    happen: async ({ servers }, _, random) => {
      for (const { network } of servers) network.setWeather({ cut: 0.2, delayMs: 0 })
      await delay(random.int(200, LONGEST_MS))
      for (const { network } of servers) network.setWeather(FAIR)
    },
  },
  {
    name: 'delays on the way to a server',
    kind: 'network',
    happen: async (_, { network }, random) => {
      network.setWeather({ cut: 0, delayMs: random.int(10, 400) })
      await delay(random.int(200, LONGEST_MS))
      network.setWeather(FAIR)
    },
  },
  {
    name: 'a server loses its connections to Postgres',
    kind: 'network',
    happen: async (_, { database }) => database.cut(),
  },
  {
    name: 'a server hears nothing from Postgres, and then loses its connections',
    kind: 'network',
    happen: async (_, { database }, random) => {
      database.freezeResponses()
      await delay(random.int(50, 1_000))
      database.cut()
      database.thaw()
    },
  },
  {
    name: 'the clock of a server two days back, two days ahead, and right again',
    kind: 'clock',
    happen: async (_, { process }, random) => {
      process.child.kill('SIGUSR2')
      await delay(random.int(200, LONGEST_MS))
      process.child.kill('SIGWINCH')
      await delay(random.int(200, LONGEST_MS))
      process.child.kill('SIGUSR2')
    },
  },
  {
    name: 'the disk of Postgres is full',
    kind: 'disk',
    needsDisk: true,
    happen: async ({ disk, dataDir }, _, random) => {
      disk?.fill()
      await delay(random.int(200, LONGEST_MS))
      disk?.clear()
      // It may have ended, and is started again.
      await until(() => runningPostmaster(dataDir as string) !== undefined, 'Postgres')
    },
  },
]

async function killPostgres(dataDir: string): Promise<void> {
  const killed = runningPostmaster(dataDir)
  if (killed === undefined) return
  process.kill(killed, 'SIGKILL')
  await until(() => (runningPostmaster(dataDir) ?? killed) !== killed, 'another Postgres')
}

/** Undefined while Postgres starts again: it writes its process id late. */
function runningPostmaster(dataDir: string): number | undefined {
  try {
    return postmasterOf(dataDir) || undefined
  } catch {
    return undefined
  }
}

/** Causes faults of these kinds, one after the other, until the time is over. All is well when it returns. Counts them by name. */
export async function causeFaults(
  installation: Installation,
  kinds: ReadonlySet<FaultKind>,
  isOver: () => boolean,
  restMs: number,
  random: Random,
  counts: Map<string, number>,
): Promise<void> {
  const possible = FAULTS.filter(
    ({ kind, needsPostgres, needsDisk }) =>
      kinds.has(kind) &&
      (installation.dataDir !== undefined || !needsPostgres) &&
      (installation.disk !== undefined || !needsDisk),
  )
  while (possible.length > 0 && !isOver()) {
    await delay(random.int(200, restMs))
    if (isOver()) return
    const { name, happen } = random.one(possible) as Fault
    counts.set(name, (counts.get(name) ?? 0) + 1)
    await happen(installation, random.of([...installation.servers, ...installation.workers]), random)
  }
}
