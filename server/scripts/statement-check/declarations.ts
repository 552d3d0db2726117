import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const STATEMENT = fileURLToPath(new URL('../../src/database/statements/statement.ts', import.meta.url))
const SCHEMA = fileURLToPath(new URL('../../src/database/schema.ts', import.meta.url))

/** A call of `statement` in the sources. */
export interface Declaration {
  file: string
  line: number
  /** The declared types of the parameters and of the row. */
  values: ts.Type
  row: ts.Type
}

/** The sources of the server, with their types. */
export interface Sources {
  checker: ts.TypeChecker
  declarations: readonly Declaration[]
  /** The interface `Schema`. */
  schema: ts.Type
}

/** Reads the sources as `npm run typecheck` does. */
export function readSources(): Sources {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile) as { config: { compilerOptions: object } }
  const { options, fileNames } = ts.parseJsonConfigFileContent({ ...config, include: ['server/src'] }, ts.sys, ROOT)
  const program = ts.createProgram(fileNames, options)
  const checker = program.getTypeChecker()
  const sources = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${ROOT}server/src/`))
  const schema = program
    .getSourceFile(SCHEMA)
    ?.statements.find((node): node is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(node) && node.name.text === 'Schema')
  if (schema === undefined) throw new Error(`${SCHEMA} declares no interface Schema`)
  return {
    checker,
    declarations: sources.flatMap((source) => [...declarationsIn(source, checker)]),
    schema: checker.getTypeAtLocation(schema),
  }
}

function* declarationsIn(source: ts.SourceFile, checker: ts.TypeChecker): Generator<Declaration> {
  const calls: ts.CallExpression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isStatement(node.expression, checker)) calls.push(node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  for (const call of calls) {
    const [values, row] = checker.getTypeArguments(checker.getTypeAtLocation(call) as ts.TypeReference)
    if (values === undefined || row === undefined)
      throw new Error(`${source.fileName}: a call of statement does not return a Statement`)
    const { line } = source.getLineAndCharacterOfPosition(call.expression.getStart())
    yield { file: source.fileName, line: line + 1, values, row }
  }
}

function isStatement(callee: ts.Expression, checker: ts.TypeChecker): boolean {
  const symbol = ts.isIdentifier(callee) ? checker.getSymbolAtLocation(callee) : undefined
  if (symbol === undefined || (symbol.flags & ts.SymbolFlags.Alias) === 0) return false
  const { declarations = [] } = checker.getAliasedSymbol(symbol)
  return declarations.some((declaration) => declaration.getSourceFile().fileName === STATEMENT && symbol.name === 'statement')
}
