import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CHECKS } from '../contract/requests.ts'
import { AUDITED_OPERATIONS } from '../../web/dashboard/screens/audit/audited-operations.ts'

interface Document {
  paths: Record<string, Record<string, { operationId?: string }>>
}

const DOCUMENT = new URL('../../openapi/openapi.json', import.meta.url)

/** Entries of what is no operation of the document. */
const OTHERS = [
  'exports.start',
  'operators.signIn',
  'operators.signOut',
  'sessions.createCode',
  'sessions.start',
  'tenants.create',
]

it('the filter of the audit screen offers every operation that changes something', () => {
  const { paths } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Document
  const changing = Object.values(paths).flatMap((methods) =>
    Object.entries(methods)
      .filter(([method]) => ['post', 'put', 'patch', 'delete'].includes(method))
      .map(([, { operationId = '' }]) => operationId)
      .filter((operation) => !CHECKS.has(operation)),
  )
  expect(AUDITED_OPERATIONS).toEqual([...changing, ...OTHERS].toSorted())
})
