import { fileURLToPath, pathToFileURL } from 'node:url'
import { watchDeclarations, type Statement } from '../../src/database/statements/statement.ts'
import type { Declaration } from './declarations.ts'

export type AnyStatement = Statement<readonly unknown[], unknown>

/** A statement and the position of its declaration. */
export interface FoundStatement {
  statement: AnyStatement
  declaration: Declaration
}

/** The position in a frame of a stack trace: `file:///…/get-order.ts:17:21`. */
const POSITION = /(file:\/\/[^\s()]+\.ts):(\d+):\d+/

// Records statements from the import of this module on. The script imports it before the database, which also declares statements.
const made: { statement: AnyStatement; file: string; line: number }[] = []
watchDeclarations((statement) => made.push({ statement, ...callerOfStatement() }))

/** Imports the modules with these declarations and finds the statements that they make. */
export async function importStatements(declarations: readonly Declaration[]): Promise<FoundStatement[]> {
  // Some statements are declared by functions that slices call.
  await import('../../src/slices.ts')
  // Makes the statements that span all slices.
  await import('../../src/maintenance.ts')
  for (const file of new Set(declarations.map((declaration) => declaration.file))) await import(pathToFileURL(file).href)
  return made.map(({ statement, file, line }) => {
    const declaration = declarations.find((known) => known.file === file && known.line === line)
    if (declaration === undefined)
      throw new Error(`${file}:${line} declares ${statement.name} in a way that the check cannot read`)
    return { statement, declaration }
  })
}

/** The frame above `statement` itself. */
function callerOfStatement(): { file: string; line: number } {
  const frames = (new Error('here').stack ?? '').split('\n').map((frame) => POSITION.exec(frame))
  const own = frames.findIndex((frame) => frame?.[1]?.endsWith('/statements/statement.ts') === true)
  const [, url = '', line = ''] = frames[own + 1] ?? []
  return { file: fileURLToPath(url), line: Number(line) }
}
