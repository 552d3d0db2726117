import { type Document, type MediaType, resolve } from './openapi-document.ts'
import type { Operation } from './read-operations.ts'

/**
 * The part of the document that becomes types. It omits error responses and headers, for which there are `APIError`, `Response` and the
 * receivers, and examples of whole bodies, and it names the type of an error's details. This halves the length of the declarations, for
 * editors and reviewers.
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
