import path from 'node:path'
import pg from 'pg'
import { readCatalog } from './catalog.ts'
import { schemaProblems } from './check-schema.ts'
import { problemsOf } from './check-statement.ts'
import { readTables } from './read-tables.ts'
import { readSources, type Declaration } from './declarations.ts'
import { connectDescriber, describe } from './describe.ts'
import { importStatements, type FoundStatement } from './import-statements.ts'

/** What is wrong with the statements of the server, or with `Schema`, in a database. */
interface CheckResult {
  problems: string[]
  statements: number
}

/** Reads the sources, which takes longer than a check. The result compares every statement of the server, and `Schema`, with a migrated database. */
export async function statementCheck(): Promise<(url: string) => Promise<CheckResult>> {
  const { checker, declarations, schema } = readSources()
  const found = await importStatements(declarations)
  return async (url) => {
    const client = await connectDescriber(url)
    try {
      const catalog = await readCatalog(client)
      const problems = [...unseen(declarations, found), ...sharedNames(found), ...longNames(found)]
      for (const statement of found) {
        const own = await describe(client, statement.statement.sql).then(
          (description) => problemsOf(statement, description, catalog, checker),
          refusalOf,
        )
        problems.push(...own.map((problem) => `${statement.statement.name} (${placeOf(statement.declaration)}): ${problem}`))
      }
      return {
        problems: [...problems, ...schemaProblems(schema, await readTables(client, catalog), checker)],
        statements: found.length,
      }
    } finally {
      await client.end()
    }
  }
}

function refusalOf(error: unknown): string[] {
  if (error instanceof pg.DatabaseError) return [`Postgres refuses it: ${error.message}`]
  throw error
}

/** A statement made when a function is called cannot be checked here, so it is reported. */
function unseen(declarations: readonly Declaration[], found: readonly FoundStatement[]): string[] {
  const seen = new Set(found.map(({ declaration }) => declaration))
  return declarations
    .filter((declaration) => !seen.has(declaration))
    .map((declaration) => `${placeOf(declaration)}: no statement is made here when the module is imported; declare it at the top`)
}

function sharedNames(found: readonly FoundStatement[]): string[] {
  const byName = Map.groupBy(found, ({ statement }) => statement.name)
  return [...byName]
    .filter(([, same]) => same.length > 1)
    .map(([name]) => `${name}: ${byName.get(name)?.length} statements have this name`)
}

/** Postgres knows a statement by these first characters of its name, and pg warns of more. */
const MAX_CHARACTERS = 63

function longNames(found: readonly FoundStatement[]): string[] {
  return found
    .filter(({ statement: { name } }) => name.length > MAX_CHARACTERS)
    .map(({ statement: { name } }) => `${name}: has more than ${MAX_CHARACTERS} characters`)
}

function placeOf({ file, line }: Declaration): string {
  return `${path.relative(process.cwd(), file)}:${line}`
}
