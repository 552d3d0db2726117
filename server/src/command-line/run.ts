import { readConfig } from '../config.ts'
import { connect } from '../connect.ts'
import { migrate } from '../database/migrate.ts'
import { type OpenShards, openShards } from '../shards/open-shards.ts'

/** The result of a command: the object for `--json`, and the text for people. */
export interface CommandResult {
  json: Record<string, unknown>
  text: string
}

/**
 * Brings the schemas of the configured database and of all shards that can be reached up to date, runs a command on them, and prints the
 * result.
 */
export async function runOnShards(
  options: { json?: boolean },
  work: (shards: OpenShards, migrated: string[]) => Promise<CommandResult>,
): Promise<void> {
  const { db, encryption, close } = await connect(readConfig(process.env), () => {})
  try {
    const migrated = await db.withoutTimeLimits(migrate)
    const shards = await openShards(db, encryption, (line) => process.stderr.write(`${line}\n`))
    try {
      print(options, await work(shards, [...migrated, ...shards.migrated]))
    } finally {
      await shards.close()
    }
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
