import { inject } from 'vitest'
import { DocumentedResponses, type SentResponse } from './fits-document.ts'

const responses = new DocumentedResponses(inject('openApiDocument'))

/** Throws unless the document has the operation with this status and the headers that were sent, and the body matches its schema. */
export function assertFitsDocument(method: string, url: string, response: SentResponse): void {
  responses.assertFits(method, url, response)
}
