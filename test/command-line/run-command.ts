import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const COMMAND = fileURLToPath(new URL('../../server/bin/fulfillment.js', import.meta.url))

/** What a run of the command did. */
export interface CommandRun {
  exitCode: number | null
  stdout: string
  stderr: string
}

/** A run that goes on. */
export interface StartedCommand {
  child: ChildProcess
  ended: Promise<CommandRun>
}

/** Starts the `fulfillment` command as a user does, with nothing but `env` in its environment. */
export function startCommand(
  args: readonly string[],
  env: Record<string, string>,
  nodeOptions: readonly string[] = [],
): StartedCommand {
  const child = spawn(process.execPath, [...nodeOptions, COMMAND, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const exited = once(child, 'close') as Promise<[number | null]>
  const ended = Promise.all([exited, text(child.stdout), text(child.stderr)]).then(([[exitCode], stdout, stderr]) => ({
    exitCode,
    stdout,
    stderr,
  }))
  return { child, ended }
}

/** Runs the command to its end, with `input` on its standard input. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string>,
  input: string | Buffer = '',
): Promise<CommandRun> {
  const { child, ended } = startCommand(args, env)
  // Commands that refuse their arguments do not read their input.
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  return await ended
}
