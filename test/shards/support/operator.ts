import { setTimeout as delay } from 'node:timers/promises'
import type { CommandRun, StartedCommand } from '../../command-line/run-command.ts'
import { type Installation, killCommand, stateOf } from './moving.ts'

/** What a command may say that was started while a database was down, or while a server ended the switch of one that was killed. */
const EXPECTED = /Another command works|ECONNREFUSED|cannot be reached|Connection terminated|the database system is|already$/
/** Servers end the switch of a dead command after four seconds: half of the restarted commands come before, half after it. */
const AGAIN_WITHIN_MS = 8_000

/** Somebody who moves a tenant, and starts the command again when it was killed, until the tenant is in the shard. */
export class Operator {
  /** The ends of all commands. */
  readonly runs: CommandRun[] = []
  /** Resolves when the tenant is there, and all is removed that the move made. */
  readonly done: Promise<void>
  readonly #installation: Installation
  readonly #tenantId: number
  readonly #args: readonly string[]
  #running: StartedCommand | undefined
  #isDone = false

  constructor(installation: Installation, tenantId: number, to: 1 | 2) {
    this.#installation = installation
    this.#tenantId = tenantId
    this.#args = ['tenants', 'move', String(tenantId), '--to', String(to)]
    this.done = this.#move().finally(() => (this.#isDone = true))
  }

  /** Kills the command. Does nothing, and returns false, when none runs. */
  async kill(): Promise<boolean> {
    const running = this.#running
    if (running === undefined || running.child.exitCode !== null) return false
    await killCommand(running)
    return true
  }

  /** Resolves when the move has come to this state, or further. */
  async until(state: Step): Promise<void> {
    while (!this.#isDone) {
      const present = await this.state()
      if (STEPS.indexOf(present as Step) >= STEPS.indexOf(state)) return
      await delay(10)
    }
  }

  /** The state of the move. Empty while the directory is down. */
  async state(): Promise<string> {
    return await stateOf(this.#installation, this.#tenantId).catch(() => '')
  }

  /** What the commands have said about the pauses of calls, in milliseconds. */
  get pauses(): number[] {
    return this.runs.flatMap(({ stderr }) => [...stderr.matchAll(/calls waited (\d+) ms/g)].map(([, ms]) => Number(ms)))
  }

  async #move(): Promise<void> {
    for (;;) {
      this.#running = this.#installation.startCli(...this.#args)
      const run = await this.#running.ended
      this.runs.push(run)
      const isKilled = this.#running.child.signalCode === 'SIGKILL'
      this.#running = undefined
      if (run.exitCode === 0) return
      if (!isKilled && !EXPECTED.test(run.stderr.trim())) throw new Error(run.stderr)
      // The one that was killed had done everything.
      if (/is in shard \d already$/.test(run.stderr.trim())) return
      await delay(isKilled ? Math.random() * AGAIN_WITHIN_MS : 500)
    }
  }
}

/** The steps of a move, in their order. */
export const STEPS = ['copying', 'switching', 'leaving'] as const
export type Step = (typeof STEPS)[number]
