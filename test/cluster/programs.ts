import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Folders of programs, also of those for administrators. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
/** Where Debian keeps the programs of each version of Postgres. */
const POSTGRES = '/usr/lib/postgresql'

const pathOf = (program: string): string | undefined => FOLDERS.map((folder) => join(folder, program)).find(existsSync)

/** The programs of a cluster. */
export interface Programs {
  patroni: string
  etcd: string
  haproxy: string
  /** The folder of Postgres' programs. */
  postgres: string
}

/** Finds the programs. An error says how to install those that are missing. */
export function findPrograms(): Programs {
  const [patroni, etcd, haproxy] = ['patroni', 'etcd', 'haproxy'].map(pathOf)
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES).map(Number) : []
  const newest = join(POSTGRES, String(Math.max(0, ...versions.filter(Boolean))), 'bin')
  const postgres = existsSync(join(newest, 'postgres')) ? newest : undefined
  if (patroni && etcd && haproxy && postgres) return { patroni: recent(patroni), etcd, haproxy, postgres }
  const missing = Object.entries({ patroni, 'etcd-server': etcd, haproxy, postgresql: postgres }).flatMap(([name, found]) =>
    found === undefined ? [name] : [],
  )
  throw new Error(`The test of a cluster needs programs that are not installed. On Debian: apt install ${missing.join(' ')}`)
}

/**
 * Patroni, unless it is older than 3.0.3. There, a leader that was frozen takes the lock back from its successor, and acknowledged writes are
 * lost (its pull request 2689).
 */
function recent(patroni: string): string {
  const version = execFileSync(patroni, ['--version'], { encoding: 'utf8' })
  const [major = 0, minor = 0, patch = 0] = (version.match(/\d+/g) ?? []).map(Number)
  if (major * 10_000 + minor * 100 + patch >= 30_003) return patroni
  throw new Error(`The test of a cluster needs Patroni 3.0.3 or newer, as in Debian 13; here is ${version.trim()}`)
}

/** As whom the programs run: Postgres does not run as root. */
export function unprivileged(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {}
  const idOf = (option: string): number => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}
