import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import path from 'node:path'
import { unprivileged, type Programs } from './programs.ts'

/** The files of a machine, and the environment of its programs, as deploy/patroni describes them. */
export interface MachineFiles {
  folder: string
  patroniConfig: string
  patroniEnvironment: Record<string, string>
  etcdEnvironment: Record<string, string>
}

/** A machine of the cluster: etcd, Patroni, and the Postgres that Patroni starts. All of them are processes on this machine. */
export class Machine {
  readonly name: string
  /** Where Patroni responds: `http://127.0.0.1:…`. */
  readonly patroniUrl: string
  readonly #files: MachineFiles
  readonly #programs: Programs
  #etcd: ChildProcess | undefined
  #patroni: ChildProcess | undefined

  constructor(files: MachineFiles, programs: Programs) {
    this.#files = files
    this.#programs = programs
    this.name = files.patroniEnvironment.PATRONI_NAME ?? ''
    this.patroniUrl = `http://${files.patroniEnvironment.PATRONI_RESTAPI_CONNECT_ADDRESS}`
  }

  /** Starts what does not run. */
  start(): void {
    const { etcd, patroni } = this.#programs
    const { etcdEnvironment, patroniEnvironment, patroniConfig } = this.#files
    if (!isRunning(this.#etcd)) this.#etcd = this.#spawn(etcd, [], etcdEnvironment)
    if (!isRunning(this.#patroni)) this.#patroni = this.#spawn(patroni, [patroniConfig], patroniEnvironment)
  }

  /** Ends Postgres as a crash does. */
  killPostgres(): void {
    for (const pid of this.#postgresProcesses()) signal(pid, 'SIGKILL')
  }

  /** Ends etcd as a crash does. */
  async killEtcd(): Promise<void> {
    await end(this.#etcd, 'SIGKILL')
  }

  /** Ends all of its processes, as a power failure does. */
  async kill(): Promise<void> {
    // Patroni first: it would restart Postgres.
    await end(this.#patroni, 'SIGKILL')
    this.killPostgres()
    await this.killEtcd()
  }

  /** Stops Patroni alone: Postgres goes on, and nobody tells it that another machine leads. `thaw` lets it go on. */
  freezePatroni(): void {
    if (this.#patroni?.pid !== undefined) signal(this.#patroni.pid, 'SIGSTOP')
  }

  /** Stops all of its processes without ending them: for the others it is unreachable. `thaw` lets them go on as if nothing had been. */
  freeze(): void {
    for (const pid of this.#processes()) signal(pid, 'SIGSTOP')
  }

  thaw(): void {
    for (const pid of this.#processes()) signal(pid, 'SIGCONT')
  }

  #processes(): number[] {
    return [this.#patroni?.pid, ...this.#postgresProcesses(), this.#etcd?.pid].filter((pid) => pid !== undefined)
  }

  /** Postgres' main process and its children. */
  #postgresProcesses(): number[] {
    const main = Number(
      textOf(path.join(this.#files.patroniEnvironment.PATRONI_POSTGRESQL_DATA_DIR ?? '', 'postmaster.pid')).split('\n')[0],
    )
    if (!main || !textOf(`/proc/${main}/cmdline`).includes('postgres')) return []
    return [main, ...textOf(`/proc/${main}/task/${main}/children`).split(' ').map(Number).filter(Boolean)]
  }

  #spawn(program: string, args: string[], env: Record<string, string>): ChildProcess {
    const child = spawn(program, args, {
      cwd: this.#files.folder,
      env: { PATH: process.env.PATH, HOME: this.#files.folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...unprivileged(),
    })
    const log = createWriteStream(path.join(this.#files.folder, `${path.basename(program)}.log`), { flags: 'a' })
    child.stdout?.pipe(log, { end: false })
    child.stderr?.pipe(log, { end: false })
    return child
  }
}

const isRunning = (child: ChildProcess | undefined): boolean =>
  child !== undefined && child.exitCode === null && child.signalCode === null

/** Sends a signal to a process and waits until it has ended. */
export async function end(child: ChildProcess | undefined, how: NodeJS.Signals): Promise<void> {
  if (child === undefined || !isRunning(child)) return
  const ended = once(child, 'exit')
  child.kill(how)
  await ended
}

/** The text of a file; empty if there is none. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // It has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
