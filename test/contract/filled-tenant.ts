import { it as base } from '../support/it.ts'
import { createRecords } from './requests.ts'

/** The `it` of tests with calls that change nothing: `filled` is a tenant with its records, one per test file. */
export const it = base.extend('filled', { scope: 'file' }, async ({ service }) => {
  const tenant = await service.newTenant()
  return { tenant, records: await createRecords(tenant) }
})
