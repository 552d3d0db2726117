import { printable } from './printable.ts'

/** The result of a command: the object for `--json`, and the text for people. */
export interface CommandResult {
  json: Record<string, unknown>
  text: string
}

/** Prints a result: only the JSON object, or only the text. */
export function print(options: { json?: boolean }, { json, text }: CommandResult): void {
  process.stdout.write(`${options.json === true ? JSON.stringify(json) : printable(text)}\n`)
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
