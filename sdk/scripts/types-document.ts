import { type Document, type MediaType, resolve } from './openapi-document.ts'
import type { Operation } from './read-operations.ts'

/**
 * The part of the document that becomes types: without failed answers and headers, for which there are `APIError`, `Response` and the
 * receivers, without the examples of whole bodies, and with a name for the details of an error. It makes the declarations less than half
 * as long, for editors and for reviewers.
 */
export function typesDocument(document: Document, operations: Operation[]): Document {
  const { components, paths, ...rest } = structuredClone(document)
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    const { content } = resolve(document, operation.responses['200']!)
    operation.responses = { 200: { description: '', content: withoutExamples(content) } }
    if (operation.requestBody) operation.requestBody.content = withoutExamples(operation.requestBody.content)
  }
  const details = operations.flatMap(({ errors }) => errors).find((error) => error.details)?.details
  const schemas = { ErrorDetail: { description: details?.description, ...details?.items }, ...components.schemas }
  return { ...rest, paths, webhooks: {}, components: { schemas } }
}

function withoutExamples(content: Record<string, MediaType> = {}): Record<string, MediaType> {
  return Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, { schema }]))
}
