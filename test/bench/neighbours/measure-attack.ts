import { fork, type ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { residentMb } from '../machine.ts'
import { startService, type ServerProcess } from '../servers.ts'
import { call } from '../service-client.ts'
import type { Seed } from '../seed/seed.ts'
import type { Attack } from './attack.ts'
import type { AttackOrder, AttackReport } from './attacker-process.ts'
import type { NeighbourOrder, NeighbourStart, Observation, Phase } from './neighbour-process.ts'
import { newDatabase } from './new-database.ts'
import { startSilentResolver } from './silent-resolver.ts'

/** The observations of one attack. */
export interface AttackMeasurement {
  attack: Attack
  observations: Observation[]
  /** Number of responses to the attacker, by status. */
  responses: Record<string, number>
  /** Highest memory use of the server in each phase. */
  memoryMb: Partial<Record<Phase, number>>
}

export interface Timing {
  warmUpSeconds: number
  aloneSeconds: number
  attackSeconds: number
  pauseSeconds: number
}

const NEIGHBOUR_KEYS = 8
const NEIGHBOUR_ORDERS = 20
const MEMORY_LOOK_MS = 250
/** The default settings, but in development mode: production does not allow plain http to this machine. An empty value counts as not set. */
const SHIPPED = { NODE_ENV: 'development', RATE_LIMIT_PER_MINUTE: '' }
const WITHOUT_LIMIT = { NODE_ENV: 'development', RATE_LIMIT_PER_MINUTE: '0', TENANT_RATE_LIMIT_PER_MINUTE: '0' }

/** Measures an attack on a new database and server, so that no other attack affects the result. */
export async function measureAttack(
  attack: Attack,
  { url, seed, timing, short }: { url: string; seed: Seed; timing: Timing; short: boolean },
): Promise<AttackMeasurement> {
  await using resources = new AsyncDisposableStack()
  const database = await newDatabase(url)
  resources.defer(() => database.drop())
  const neighbour = forkUntilDone(resources, './neighbour-process.ts')
  const attacker = forkUntilDone(resources, './attacker-process.ts')
  const { receiver } = await messageOf<{ receiver: string }>(neighbour)

  const preparing = await startService(database.url, { env: WITHOUT_LIMIT })
  resources.defer(() => preparing.kill())
  const start = await settleNeighbour(preparing, seed, attack.withoutWebhooks === true ? undefined : receiver)
  await order(attacker, {
    order: 'prepare',
    attack: attack.name,
    port: preparing.port,
    field: {
      tenantId: seed.service.large.id,
      key: seed.service.large.key,
      products: seed.service.products,
      neighbour: { tenantId: seed.service.small.id, orders: start.stock.orders },
      short,
    },
  })
  // Stopped, not killed: otherwise the next server could not claim this server's deliveries until their leases end.
  await preparing.stop()

  const server = await startMeasured(resources, attack, database.url)
  const { memoryMb, enter } = watchMemory(resources, server, (phase) => tell(neighbour, { phase }))
  tell(neighbour, { start: { ...start, port: server.port } })
  await delay(timing.warmUpSeconds * 1_000)
  await enter('alone', timing.aloneSeconds)
  await order(attacker, { order: 'attack', port: server.port })
  await enter('beside', timing.attackSeconds)
  const { responses = {} } = await order(attacker, { order: 'end' })
  await enter('recovering', timing.pauseSeconds)
  await enter('after', timing.aloneSeconds)
  tell(neighbour, 'finish')
  const observations = await messageOf<Observation[]>(neighbour)
  return { attack, observations, responses, memoryMb }
}

function forkUntilDone(resources: AsyncDisposableStack, file: string): ChildProcess {
  const child = fork(new URL(file, import.meta.url), { serialization: 'advanced' })
  resources.defer(() => void child.kill('SIGKILL'))
  return child
}

function tell(neighbour: ChildProcess, message: NeighbourOrder): void {
  neighbour.send(message)
}

/** The next message of a process. Throws if the process ends first. */
async function messageOf<Message>(child: ChildProcess): Promise<Message> {
  return await new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`a process of the benchmark ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message as Message)
    })
  })
}

async function order(attacker: ChildProcess, message: AttackOrder): Promise<AttackReport> {
  attacker.send(message)
  const report = await messageOf<AttackReport>(attacker)
  if (report.failure !== undefined) throw new Error(`the attacker failed to ${report.failure}`)
  return report
}

/** Creates the neighbour's keys, orders and subscription through the API. */
async function settleNeighbour(server: ServerProcess, seed: Seed, receiver: string | undefined): Promise<NeighbourStart> {
  const { key } = seed.service.small
  const keys: string[] = []
  for (let number = 0; number < NEIGHBOUR_KEYS; number++) {
    const body = { name: `key ${number}`, scopes: ['admin'] }
    keys.push((await call<{ key: string }>(server, key, 'POST', '/api-keys', body)).key)
  }
  const { products } = await call<{ products: { id: number; barcode: string }[] }>(server, key, 'GET', '/products?limit=1')
  const first = seed.service.firstProduct.small
  const body = Array.from({ length: NEIGHBOUR_ORDERS }, (_, number) => ({
    order_tenant_id: `KEPT-${number}`,
    assembly_date: '2026-12-01',
    order_detail: [{ barcode: products[0]?.barcode, quantity: 1 }],
  }))
  const { orders } = await call<{ orders: { id: number }[] }>(server, key, 'POST', '/orders', { orders: body })
  if (receiver !== undefined)
    await call(server, key, 'POST', '/webhooks', { name: 'receiver', url: receiver, events: ['order/created'] })
  return {
    port: server.port,
    keys,
    stock: { products: [first, first + seed.sizes.products - 1], orders: orders.map(({ id }) => id) },
    withWebhooks: receiver !== undefined,
  }
}

async function startMeasured(resources: AsyncDisposableStack, attack: Attack, url: string): Promise<ServerProcess> {
  const env = { ...SHIPPED, ...attack.env }
  if (attack.silentResolver !== true) return started(resources, await startService(url, { env }))
  const resolver = await startSilentResolver()
  resources.defer(() => resolver.stop())
  // A host name instead of an address, so that it must be resolved.
  const named = new URL(url)
  named.hostname = 'localhost'
  return started(resources, await startService(named.href, { env, command: resolver.command }))
}

function started(resources: AsyncDisposableStack, server: ServerProcess): ServerProcess {
  resources.defer(() => server.kill())
  return server
}

function watchMemory(resources: AsyncDisposableStack, { pid }: ServerProcess, onPhase: (phase: Phase) => void) {
  const memoryMb: Partial<Record<Phase, number>> = {}
  let current: Phase = 'warm-up'
  const timer = setInterval(() => {
    memoryMb[current] = Math.max(memoryMb[current] ?? 0, residentMb(pid))
  }, MEMORY_LOOK_MS)
  resources.defer(() => clearInterval(timer))
  const enter = async (phase: Phase, seconds: number): Promise<void> => {
    current = phase
    onPhase(phase)
    await delay(seconds * 1_000)
  }
  return { memoryMb, enter }
}
