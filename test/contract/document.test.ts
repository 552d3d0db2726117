import { describe, expect } from 'vitest'
import { API_ERROR_CODES, ERRORS } from '@fulfillment/server/errors/error-codes.ts'
import { openApiDocument } from '@fulfillment/server/openapi/document.ts'
import { it } from '../support/it.ts'

const document = openApiDocument() as unknown as {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>
  components: { schemas: Record<string, { enum?: string[]; description?: string }> }
}
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

describe('the errors of the document', () => {
  it('are all errors of the service, each with its status', () => {
    const { ErrorCode } = document.components.schemas
    expect(ErrorCode?.enum).toEqual(API_ERROR_CODES)
    for (const code of API_ERROR_CODES) expect(ErrorCode?.description).toContain(`\`${code}\` (${ERRORS[code].status})`)
  })

  it('include 405, in every operation', async ({ tenant }) => {
    for (const { operationId, responses } of operations)
      expect(responses.default, operationId).toEqual({ $ref: '#/components/responses/Failure' })
    // The response is compared with the document.
    const { status, body } = await tenant.request('DELETE', '/orders/1')
    expect([status, body.error.code]).toEqual([405, 'method_not_allowed'])
  })
})
