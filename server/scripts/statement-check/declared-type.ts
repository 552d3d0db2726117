import ts from 'typescript'

/** A declared type, in terms that can be compared with a Postgres type. */
export interface DeclaredType {
  /** `string`, `number`, `boolean`, `Buffer`, `Date`, `object`, or one of these with `[]`; `any` for an unknown type. */
  kinds: ReadonlySet<string>
  isNullable: boolean
  /** Elements of the array may be null. */
  hasNullElements: boolean
  /** The type as written in TypeScript. */
  text: string
}

const PRIMITIVES: readonly [flags: ts.TypeFlags, kind: string][] = [
  [ts.TypeFlags.StringLike, 'string'],
  [ts.TypeFlags.NumberLike, 'number'],
  [ts.TypeFlags.BooleanLike, 'boolean'],
  [ts.TypeFlags.Any | ts.TypeFlags.Unknown, 'any'],
]
const CLASSES = new Set(['Buffer', 'Date'])

/** Describes a type of the program. */
export function declaredType(checker: ts.TypeChecker, type: ts.Type): DeclaredType {
  const members = type.isUnion() ? type.types : [type]
  const isNull = (member: ts.Type): boolean => (member.flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) !== 0
  const values = members.filter((member) => !isNull(member))
  const elements = values.map((member) => elementOf(checker, member)).filter((element) => element !== undefined)
  return {
    kinds: new Set(values.map((member) => kindOf(checker, member))),
    isNullable: members.some(isNull),
    hasNullElements: elements.some((element) => declaredType(checker, element).isNullable),
    text: checker.typeToString(type),
  }
}

function kindOf(checker: ts.TypeChecker, type: ts.Type): string {
  for (const [flags, kind] of PRIMITIVES) if ((type.flags & flags) !== 0) return kind
  const element = elementOf(checker, type)
  if (element !== undefined) return `${[...declaredType(checker, element).kinds].toSorted().join('|')}[]`
  const name = type.symbol?.name ?? ''
  return CLASSES.has(name) ? name : 'object'
}

function elementOf(checker: ts.TypeChecker, type: ts.Type): ts.Type | undefined {
  return checker.isArrayType(type) || checker.isTupleType(type)
    ? checker.getIndexTypeOfType(type, ts.IndexKind.Number)
    : undefined
}

/** The type of a property of a type, or of a property common to all types of a union. */
export function propertyType(checker: ts.TypeChecker, type: ts.Type, name: string): ts.Type | undefined {
  const property = checker.getPropertyOfType(type, name)
  return property && checker.getTypeOfSymbol(property)
}
