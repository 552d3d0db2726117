import { openApiDocument } from '@fulfillment/server/openapi/document.ts'
import type { Scope } from '@fulfillment/server/procedures/context.ts'

interface DocumentedOperation {
  operationId: string
  description: string
  parameters?: { in: string; name: string }[]
}

/** Every operation of the document. */
export const OPERATIONS = Object.entries(openApiDocument().paths as Record<string, Record<string, DocumentedOperation>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, description, parameters = [] }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
      scope: (/Scope: `([^`]+)`/.exec(description)?.[1] ?? '') as Scope,
      parameters,
    })),
)

export type Operation = (typeof OPERATIONS)[number]
