import { inject } from 'vitest'
import { DocumentedResponses } from './fits-document.ts'

const responses = new DocumentedResponses(inject('openApiDocument'))

/** Throws unless the document has the operation with this status, and the body matches its schema. */
export function assertFitsDocument(method: string, url: string, response: { status: number; body: unknown }): void {
  responses.assertFits(method, url, response)
}
