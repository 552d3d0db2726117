import { spawn } from 'node:child_process'
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { end, Machine } from './machine.ts'
import { findPrograms, unprivileged } from './programs.ts'

const DEPLOY = fileURLToPath(new URL('../../deploy/patroni/', import.meta.url))
const MACHINES = [1, 2, 3]
/** The ports in the files of deploy/patroni. */
const PORTS = [2379, 2380, 5432, 8008]
const STARTING = { timeout: 180_000, interval: 200 }

interface Member {
  name: string
  role: string
  state: string
}

/** Three machines with Patroni and etcd, and HAProxy before them, as deploy/patroni describes them, but all on 127.0.0.1. */
export interface Cluster {
  machines: readonly Machine[]
  /** The database, at the address that always leads to the leader. */
  databaseUrl: string
  /** The machine whose Postgres accepts writes. */
  leader(): Promise<Machine>
  /** The machine whose etcd leads the others. */
  etcdLeader(): Promise<Machine>
  /** Waits until there are a leader and two standbys that follow it, one of them synchronous. */
  untilWhole(): Promise<void>
  stop(): Promise<void>
}

/** Starts a cluster, and waits until it is whole. */
export async function startCluster(): Promise<Cluster> {
  const programs = findPrograms()
  const folder = await mkdtemp(path.join(tmpdir(), 'fulfillment-cluster-'))
  await chmod(folder, 0o755)
  const addresses = new Map<string, string>()
  for (const machine of MACHINES)
    for (const port of PORTS) addresses.set(`10.0.0.1${machine}:${port}`, `127.0.0.1:${await freePort()}`)
  const address = `127.0.0.1:${await freePort()}`
  const machines = await Promise.all(
    MACHINES.map(async (number) => new Machine(await writeFiles(folder, number, addresses, programs.postgres), programs)),
  )
  const balancerConfig = path.join(folder, 'haproxy.cfg')
  await writeFile(balancerConfig, balancerOf(await read('haproxy.cfg'), addresses, address))
  for (const machine of machines) machine.start()
  const balancer = spawn(programs.haproxy, ['-db', '-f', balancerConfig], { stdio: 'ignore' })
  const cluster: Cluster = {
    machines,
    databaseUrl: `postgres://fulfillment:change-me-5@${address}/fulfillment`,
    leader: () =>
      theOne(machines, (machine) =>
        fetch(`${machine.patroniUrl}/primary`, { signal: AbortSignal.timeout(1_000) }).then(({ ok }) => ok),
      ),
    etcdLeader: () =>
      theOne(machines, (machine) => isLeading(addresses.get(`10.0.0.1${machines.indexOf(machine) + 1}:2379`) ?? '')),
    untilWhole: () => vi.waitFor(() => expectWhole(machines), STARTING),
    stop: async () => {
      await end(balancer, 'SIGKILL')
      for (const machine of machines) {
        machine.thaw()
        await machine.kill()
      }
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
  try {
    await cluster.untilWhole()
  } catch (error) {
    throw new Error(`The cluster did not start; its logs are in ${folder}`, { cause: error })
  }
  return cluster
}

const read = (file: string): Promise<string> => readFile(path.join(DEPLOY, file), 'utf8')

/** Writes the files of a machine, with this machine's addresses and folders in the place of those of the deployment. */
async function writeFiles(folder: string, number: number, addresses: Map<string, string>, postgres: string) {
  const own = path.join(folder, `db-${number}`)
  await mkdir(own)
  const { uid, gid } = unprivileged()
  if (uid !== undefined && gid !== undefined) await chown(own, uid, gid)
  await cp(path.join(DEPLOY, 'create-database.sh'), path.join(own, 'create-database.sh'))
  const adapted = (text: string): string =>
    withAddresses(text, addresses)
      .replaceAll('/etc/patroni/', `${own}/`)
      .replaceAll('/var/lib/postgresql/', `${own}/`)
      .replaceAll('/var/lib/etcd/', `${own}/etcd-`)
      .replace(/(?<=BIN_DIR=).*/, postgres)
      // The folder of sockets belongs to the system's Postgres.
      .replace('\npostgresql:\n', `\npostgresql:\n  parameters:\n    unix_socket_directories: ${own}\n`)
  const patroniConfig = path.join(own, 'config.yml')
  await writeFile(patroniConfig, adapted(await read('patroni.yaml')))
  const environmentOf = async (file: string): Promise<Record<string, string>> =>
    variablesOf(adapted(forMachine(await read(file), number)))
  return {
    folder: own,
    patroniConfig,
    patroniEnvironment: await environmentOf('patroni.env'),
    etcdEnvironment: await environmentOf('etcd.env'),
  }
}

/** The environment of the first machine, turned into that of another one, as its first line says. Lists of all machines stay. */
const forMachine = (text: string, number: number): string =>
  text
    .split('\n')
    .map((line) =>
      /HOSTS=|INITIAL_CLUSTER=/.test(line)
        ? line
        : line.replaceAll('db-1', `db-${number}`).replaceAll('10.0.0.11', `10.0.0.1${number}`),
    )
    .join('\n')

const withAddresses = (text: string, addresses: Map<string, string>): string =>
  text.replaceAll(/10\.0\.0\.1\d:\d+/g, (address) => addresses.get(address) ?? address)

/** The variables of a file of `NAME=value` lines. */
const variablesOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]))

/** The load balancer's file: there, a check names its port alone. */
const balancerOf = (text: string, addresses: Map<string, string>, address: string): string =>
  withAddresses(
    text
      .replace('127.0.0.1:5000\n', `${address}\n`)
      .replaceAll(/(10\.0\.0\.1\d):5432 check port 8008/g, (line, host) =>
        line.replace('8008', addresses.get(`${host}:8008`)?.split(':')[1] ?? ''),
      ),
    addresses,
  )

async function theOne(machines: readonly Machine[], isIt: (machine: Machine) => Promise<boolean>): Promise<Machine> {
  const answers = await Promise.all(machines.map((machine) => isIt(machine).catch(() => false)))
  const found = machines.filter((_, index) => answers[index])
  if (found.length !== 1) throw new Error(`${found.length} machines lead`)
  return found[0] as Machine
}

async function isLeading(etcd: string): Promise<boolean> {
  const response = await fetch(`http://${etcd}/v3/maintenance/status`, {
    method: 'POST',
    body: '{}',
    signal: AbortSignal.timeout(1_000),
  })
  const { leader, header } = (await response.json()) as { leader: string; header: { member_id: string } }
  return leader === header.member_id
}

async function expectWhole(machines: readonly Machine[]): Promise<void> {
  const responses = await Promise.allSettled(
    machines.map(({ patroniUrl }) => fetch(`${patroniUrl}/cluster`, { signal: AbortSignal.timeout(2_000) })),
  )
  const response = responses.find(({ status }) => status === 'fulfilled') as PromiseFulfilledResult<Response> | undefined
  const { members = [] } = ((await response?.value.json()) ?? {}) as { members?: Member[] }
  const roles = members.map(({ role }) => role).toSorted()
  const isFollowing = members.every(({ role, state }) => role === 'leader' || state === 'streaming' || state === 'running')
  if (roles.join(' ') !== 'leader replica sync_standby' || !isFollowing) throw new Error(`Not whole: ${JSON.stringify(members)}`)
}
