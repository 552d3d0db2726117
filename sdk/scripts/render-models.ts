import { type Document, isObjectSchema, type Schema } from './openapi-document.ts'
import { jsDoc } from './js-doc.ts'
import type { NamedType, Operation } from './read-operations.ts'

/** `models.ts`: a name for every component, parameter object and response, and the union of error codes. */
export function renderModels(document: Document, operations: Operation[], eventNames: ReadonlySet<string>): string {
  // The package has its own ErrorCode, with one more code.
  const { ErrorCode: _, ...schemas } = document.components.schemas
  const components = Object.entries(schemas).filter(([name]) => !eventNames.has(name))
  const named = uniqueByName(operations.flatMap(({ input, data }) => [input, data]))
  return [
    "import type { components, operations } from './schema.ts'",
    "type Schemas = components['schemas']",
    declareNamed,
    declareQuery,
    `${jsDoc('Every error code that the API documents.')}export type DocumentedErrorCode = Schemas['ErrorCode']`,
    ...components.map(([name, schema]) => declareComponent(name, schema)),
    ...named.map((type) => declare(type.name, type.source!, type.isObject)),
  ].join('\n\n')
}

/** Interfaces where possible: editors show an interface by its name, but a type alias by all of its fields. */
export const declareNamed = 'type Named<T> = T'

// A repeatable parameter also accepts a single value and a readonly array, and an optional one undefined, like fields of bodies.
const declareQuery = `type Query<T> = {
  [K in keyof T]: T[K] | (T[K] extends readonly (infer Item)[] | undefined ? Item | readonly Item[] : never) | ({} extends { [P in K]: T[P] } ? undefined : never)
}`

/** The declaration of a component's type. */
export function declareComponent(name: string, schema: Schema): string {
  return jsDoc(schema.description ?? '') + declare(name, `Schemas['${name}']`, isObjectSchema(schema))
}

function declare(name: string, source: string, isObject: boolean): string {
  return isObject ? `export interface ${name} extends Named<${source}> {}` : `export type ${name} = ${source}`
}

function uniqueByName(types: (NamedType | undefined)[]): NamedType[] {
  const own = types.filter((type): type is NamedType => type?.source !== undefined)
  return [...new Map(own.map((type) => [type.name, type])).values()]
}
