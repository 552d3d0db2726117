import { readConfig } from '../config.ts'
import { connect } from '../connect.ts'
import type { Database } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'

/** What a command gives back: the object that `--json` prints, and what people read. */
export interface CommandResult {
  json: Record<string, unknown>
  text: string
}

/** Runs a command on the configured database, with its schema up to date, and prints the result. */
export async function runOnDatabase(
  options: { json?: boolean },
  work: (db: Database, migrated: string[]) => Promise<CommandResult>,
): Promise<void> {
  const { db, close } = await connect(readConfig(process.env), () => {})
  try {
    const result = await work(db, await db.unhurried(migrate))
    print(options, result)
  } finally {
    await close()
  }
}

/** Prints one JSON object and nothing else, or the text. */
export function print(options: { json?: boolean }, { json, text }: CommandResult): void {
  process.stdout.write(`${options.json === true ? JSON.stringify(json) : text}\n`)
}

/** Columns of text, aligned. */
export function table(rows: readonly (readonly string[])[]): string {
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
