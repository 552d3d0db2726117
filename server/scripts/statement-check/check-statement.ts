import ts from 'typescript'
import type { Catalog } from './catalog.ts'
import { declaredType, propertyType, type DeclaredType } from './declared-type.ts'
import type { Description } from './describe.ts'
import type { FoundStatement } from './import-statements.ts'
import { connectionProblem } from './connection-problem.ts'
import { Nullability } from './nullability.ts'
import { kindsOf } from './postgres-kinds.ts'

/** Compares the connection, the parameters and the columns of a statement with Postgres's description, and returns the differences. */
export function problemsOf(
  { statement, declaration }: FoundStatement,
  description: Description,
  catalog: Catalog,
  checker: ts.TypeChecker,
): string[] {
  const parameters = parameterTypes(declaration.values, checker)
  const connection = connectionProblem(statement.connection, description, catalog)
  return [
    ...(connection === undefined ? [] : [connection]),
    ...parameterProblems(parameters, description, catalog),
    ...columnProblems({ statement, declaration }, parameters, description, catalog, checker),
  ]
}

/** The declared types in order. `rest` is the type of any number of further parameters. */
interface ParameterTypes {
  fixed: readonly DeclaredType[]
  rest: DeclaredType | undefined
}

function parameterTypes(values: ts.Type, checker: ts.TypeChecker): ParameterTypes {
  const [tuple = values] = values.isUnion() ? values.types : [values]
  const element = (type: ts.Type): DeclaredType => declaredType(checker, type)
  if (!checker.isTupleType(tuple)) {
    const rest = checker.getIndexTypeOfType(values, ts.IndexKind.Number)
    return { fixed: [], rest: rest && element(rest) }
  }
  const { target } = tuple as ts.TupleTypeReference
  const rest = checker
    .getTypeArguments(tuple as ts.TypeReference)
    .find((_, index) => ((target.elementFlags[index] ?? 0) & ts.ElementFlags.Variable) !== 0)
  // In a union of tuples, an element has the types of that element in all tuples.
  const fixed = Array.from({ length: target.fixedLength }, (_, index) => propertyType(checker, values, String(index)) ?? values)
  return { fixed: fixed.map(element), rest: rest && element(rest) }
}

const typeAt = ({ fixed, rest }: ParameterTypes, index: number): DeclaredType | undefined => fixed[index] ?? rest

function parameterProblems(declared: ParameterTypes, { parameters }: Description, catalog: Catalog): string[] {
  const { fixed, rest } = declared
  if (fixed.length === 0 && rest?.kinds.has('any') === true && parameters.length > 0)
    return ['its parameters have no declared types']
  if (parameters.length < fixed.length || (rest === undefined && parameters.length > fixed.length))
    return [`it takes ${parameters.length} parameters, but ${fixed.length} are declared`]
  return parameters.flatMap((type, index) => {
    const name = catalog.types.get(type) ?? String(type)
    const accepted = acceptedKinds(name)
    const given = typeAt(declared, index)
    if (given === undefined || [...given.kinds].every((kind) => accepted.includes(kind))) return []
    // The rest type is a union of the filters' types, so one matching type is enough.
    if (index >= fixed.length && [...given.kinds].some((kind) => accepted.includes(kind))) return []
    return [`$${index + 1} is ${name}, but is declared as ${given.text}`]
  })
}

/** An array parameter may also be a string in the text format of Postgres. */
function acceptedKinds(type: string): readonly string[] {
  const { parameter } = kindsOf(type)
  return type.startsWith('_') ? [...parameter, 'string'] : parameter
}

function columnProblems(
  { statement, declaration }: FoundStatement,
  parameters: ParameterTypes,
  description: Description,
  catalog: Catalog,
  checker: ts.TypeChecker,
): string[] {
  const { row } = declaration
  // The caller does not read the rows.
  if ((row.flags & (ts.TypeFlags.Never | ts.TypeFlags.Unknown)) !== 0) return []
  const nulls = new Nullability(catalog, {
    isNullable: (parameter) => typeAt(parameters, parameter - 1)?.isNullable ?? true,
    hasNullElements: (parameter) => typeAt(parameters, parameter - 1)?.hasNullElements ?? true,
  }).columnsOf(description.query)
  const excepted: readonly string[] = statement.notNull ?? []
  const columns = description.columns.map((column, index) => ({ ...column, isNullable: nulls[index] ?? true }))
  return [
    ...columns.flatMap((column) => columnProblem(column, excepted.includes(column.name), row, catalog, checker)),
    ...missing(row, columns, checker),
    ...excepted
      .filter((name) => columns.every((column) => column.name !== name || !column.isNullable))
      .map((name) => `notNull names ${name}, which Postgres never makes null`),
  ]
}

function columnProblem(
  column: { name: string; type: number; isNullable: boolean },
  isExcepted: boolean,
  row: ts.Type,
  catalog: Catalog,
  checker: ts.TypeChecker,
): string[] {
  const property = propertyType(checker, row, column.name)
  if (property === undefined) return [`its column ${column.name} is not declared`]
  const declared = declaredType(checker, property)
  const type = catalog.types.get(column.type) ?? String(column.type)
  const { result } = kindsOf(type)
  const isNull = declared.kinds.size === 0
  const isOther = result !== 'any' && !isNull && [...declared.kinds].some((kind) => kind !== result && kind !== 'any')
  const nullsPass = declared.isNullable || declared.kinds.has('any')
  return [
    ...(isOther ? [`its column ${column.name} is ${type}, but is declared as ${declared.text}`] : []),
    ...(column.isNullable && !isExcepted && !nullsPass
      ? [`its column ${column.name} may be null, but is declared as ${declared.text}`]
      : []),
  ]
}

function missing(row: ts.Type, columns: Description['columns'], checker: ts.TypeChecker): string[] {
  return checker
    .getPropertiesOfType(row)
    .filter(({ name, flags }) => (flags & ts.SymbolFlags.Optional) === 0 && columns.every((column) => column.name !== name))
    .map(({ name }) => `it has no column ${name}, which is declared`)
}
