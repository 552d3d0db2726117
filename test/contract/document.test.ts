import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ERRORS } from '../../server/src/errors.ts'
import { openApiDocument } from '../../server/src/openapi/document.ts'
import { startService, type TestService } from '../support/service.ts'

const document = openApiDocument() as unknown as {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>
  components: { schemas: Record<string, { enum?: string[]; description?: string }> }
}
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

describe('the errors of the document', () => {
  it('are all that the service can answer with, each with its status', () => {
    const { ErrorCode } = document.components.schemas
    expect(ErrorCode?.enum).toEqual(Object.keys(ERRORS))
    for (const [code, { status }] of Object.entries(ERRORS)) expect(ErrorCode?.description).toContain(`\`${code}\` (${status})`)
  })

  it('include that of a wrong method, in every operation', async () => {
    for (const { operationId, responses } of operations)
      expect(responses.default, operationId).toEqual({ $ref: '#/components/responses/Failure' })
    const tenant = await service.newTenant()
    // The answer is compared with the document.
    const { status, body } = await tenant.request('DELETE', '/orders/1')
    expect([status, body.error.code]).toEqual([405, 'method_not_allowed'])
  })
})
