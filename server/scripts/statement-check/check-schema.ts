import ts from 'typescript'
import type { Column, Table } from './catalog.ts'
import { declaredType, propertyType } from './declared-type.ts'
import { kindsOf } from './postgres-kinds.ts'

/** The differences between the interface `Schema` and the tables of the migrated database. */
export function schemaProblems(schema: ts.Type, tables: ReadonlyMap<string, Table>, checker: ts.TypeChecker): string[] {
  const declared = new Map(checker.getPropertiesOfType(schema).map(({ name }) => [name, propertyType(checker, schema, name)]))
  return [
    ...[...declared.keys()]
      .filter((name) => !tables.has(name))
      .map((name) => `Schema has a table ${name}, the database has none`),
    ...[...tables].flatMap(([name, { columns }]) => {
      const type = declared.get(name)
      if (type === undefined) return [`Schema lacks the table ${name}`]
      return tableProblems(type, [...columns.values()], checker).map((problem) => `Schema: ${name}.${problem}`)
    }),
  ]
}

function tableProblems(table: ts.Type, columns: readonly Column[], checker: ts.TypeChecker): string[] {
  const isKnown = (name: string): boolean => columns.some((column) => column.name === name)
  return [
    ...checker
      .getPropertiesOfType(table)
      .filter(({ name }) => !isKnown(name))
      .map(({ name }) => `${name} is declared, the database has no such column`),
    ...columns.flatMap((column) => columnProblems(propertyType(checker, table, column.name), column, checker)),
  ]
}

function columnProblems(type: ts.Type | undefined, column: Column, checker: ts.TypeChecker): string[] {
  if (type === undefined) return [`${column.name} is not declared`]
  const read = partOf(type, '__select__', checker)
  const inserted = partOf(type, '__insert__', checker)
  const { kinds, isNullable, text } = declaredType(checker, read)
  const { result } = kindsOf(column.type)
  const problems: string[] = []
  if (result !== 'any' && [...kinds].some((kind) => kind !== result))
    problems.push(`is ${column.type}, but is declared as ${text}`)
  if (isNullable !== column.isNullable)
    problems.push(`${column.isNullable ? 'may' : 'may not'} be null, but is declared as ${text}`)
  const isOptional = (inserted.flags & ts.TypeFlags.Never) !== 0 || declaredType(checker, inserted).isNullable
  if (isOptional && !column.hasDefault && !column.isNullable) problems.push('has no default, but an insert may leave it out')
  return problems.map((problem) => `${column.name} ${problem}`)
}

/** The type of a column in a select or in an insert. Kysely's `ColumnType` has a type for each. */
function partOf(type: ts.Type, part: '__select__' | '__insert__', checker: ts.TypeChecker): ts.Type {
  return propertyType(checker, type, part) ?? type
}
