import { readConfig } from '../config.ts'
import { connect } from '../connect.ts'
import type { Database } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'

/** The result of a command: the object for `--json`, and the text for people. */
export interface CommandResult {
  json: Record<string, unknown>
  text: string
}

/** Brings the schema of the configured database up to date, runs a command on it, and prints the result. */
export async function runOnDatabase(
  options: { json?: boolean },
  work: (db: Database, migrated: string[]) => Promise<CommandResult>,
): Promise<void> {
  const { db, close } = await connect(readConfig(process.env), () => {})
  try {
    const result = await work(db, await db.withoutTimeLimits(migrate))
    print(options, result)
  } finally {
    await close()
  }
}

/** Prints a result: only the JSON object, or only the text. */
export function print(options: { json?: boolean }, { json, text }: CommandResult): void {
  process.stdout.write(`${options.json === true ? JSON.stringify(json) : text}\n`)
}

/** Formats rows as a table with aligned columns. */
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
