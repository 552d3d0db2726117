/** The parts of OpenAPI 3.1 that the generator reads. */
export interface Document {
  servers?: { url: string }[]
  tags?: { name: string; description?: string }[]
  paths: Record<string, PathItem>
  webhooks: Record<string, PathItem>
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter>; responses?: Record<string, Response> }
}

type PathItem = Partial<Record<HttpMethod, DocumentOperation>>
export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete'

export interface DocumentOperation {
  operationId: string
  tags?: string[]
  summary?: string
  description?: string
  deprecated?: boolean
  'x-sunset'?: string
  externalDocs?: { url: string }
  parameters?: (Parameter | Reference)[]
  requestBody?: { required?: boolean; content: Record<string, MediaType> }
  responses: Record<string, Response | Reference>
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required?: boolean
  schema: Schema
}

export interface MediaType {
  schema: Schema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

interface Response {
  description?: string
  content?: Record<string, MediaType>
}

export interface Reference {
  $ref: string
}

export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  oneOf?: Schema[]
  anyOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  example?: unknown
  examples?: unknown[]
}

/** Follows a `$ref` within the document. */
export function resolve<T extends object>(document: Document, node: T | Reference): T {
  if (!('$ref' in node) || typeof node.$ref !== 'string') return node as T
  const path = node.$ref.replace(/^#\//, '').split('/')
  let target: unknown = document
  for (const key of path) target = (target as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')]
  if (target === undefined) throw new Error(`${node.$ref} leads nowhere`)
  return resolve(document, target as T)
}

/** The name of the component that a schema refers to, if the schema is only a reference. */
export function componentName(schema: Schema): string | undefined {
  return schema.$ref?.replace('#/components/schemas/', '')
}

/** The JSON content of a request or response body. */
export function jsonContent(content: Record<string, MediaType> | undefined): MediaType | undefined {
  return content?.['application/json']
}

/** The example of a body: that of the media type, its first named one, or that of the schema. */
export function exampleOf(document: Document, { example, examples, schema }: MediaType): unknown {
  const resolved = resolve(document, schema)
  return example ?? Object.values(examples ?? {})[0]?.value ?? resolved.example ?? resolved.examples?.[0]
}

/** Whether a TypeScript interface can extend the schema's type. */
export function isObjectSchema(schema: Schema): boolean {
  return schema.type === 'object' && schema.properties !== undefined && !schema.oneOf && !schema.anyOf
}
