import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const COMMAND = fileURLToPath(new URL('../../server/bin/fulfillment.js', import.meta.url))

/** The result of a command. */
export interface CommandRun {
  exitCode: number | null
  stdout: string
  /** Without the line that says that the first response takes longer than a second, as it can on a busy machine. */
  stderr: string
}

const WAITING = /^Waiting for .* to respond\. .*\n/m

/** A running command. */
export interface StartedCommand {
  child: ChildProcess
  ended: Promise<CommandRun>
}

/** Starts the `fulfillment` command as a user does. Its environment contains only `env`. */
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
    stderr: stderr.replace(WAITING, ''),
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
  // A command that rejects its arguments does not read its input.
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  return await ended
}
