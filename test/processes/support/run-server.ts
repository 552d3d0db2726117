import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../../server/bin/server.js', import.meta.url))

/** Runs a server that ends by itself, or by what `meanwhile` does. */
export async function runServer(
  env: Record<string, string>,
  { nodeOptions = [], meanwhile }: { nodeOptions?: readonly string[]; meanwhile?: (child: ChildProcess) => Promise<void> } = {},
): Promise<{ exitCode: number; output: string }> {
  const child = spawn(process.execPath, [...nodeOptions, MAIN], {
    env: { PATH: process.env.PATH, ENCRYPTION_KEY: 'encryption key of the tests', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // As in a terminal: Ctrl-C goes to the whole group.
    detached: true,
  })
  const [[exitCode], output, errors] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
    meanwhile?.(child),
  ])
  return { exitCode: exitCode as number, output: output + errors }
}
