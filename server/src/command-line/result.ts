import { printable } from './printable.ts'

/** The result of a command: the object for `--json`, and the text for people. */
export interface CommandResult {
  json: Record<string, unknown>
  text: string
}

/** Prints a result: only the JSON object, or only the text. */
export function print(options: { json?: boolean }, result: CommandResult): void {
  process.stdout.write(lineOf(options, result))
}

/**
 * Prints a result with a secret that is shown once, and waits until it is written. Call it at the end of the transaction that makes the secret:
 * it throws when the output is full or closed, and a secret that nobody has seen is not kept.
 */
export async function printSecret(options: { json?: boolean }, result: CommandResult): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  process.stdout.write(lineOf(options, result), (error) => {
    if (error === null || error === undefined) resolve()
    else
      reject(isClosed(error) ? new Error('Standard output: was closed before the key was written; nothing was created') : error)
  })
  await promise
}

function lineOf(options: { json?: boolean }, { json, text }: CommandResult): string {
  return `${options.json === true ? JSON.stringify(json) : printable(text)}\n`
}

const isClosed = (error: NodeJS.ErrnoException): boolean => error.code === 'EPIPE'

const MAX_LISTED = 100

/** The first hundred names, and how many more there are: `count` in all. */
export function listOf(names: readonly string[], count = names.length): string {
  const listed = names.slice(0, MAX_LISTED)
  return `${listed.join(', ')}${count > listed.length ? ` and ${count - listed.length} more` : ''}`
}

/** Formats rows as a table with aligned columns. */
export function table(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map((cell) => cell.replaceAll('\n', ' ')))
  const widths = rows.reduce<number[]>((known, row) => row.map((cell, column) => Math.max(known[column] ?? 0, cell.length)), [])
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
