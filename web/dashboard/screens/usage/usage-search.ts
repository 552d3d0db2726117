import { pageOf, textOf } from '../../search-parameters.ts'

/** The filters of the report, as they are in the address. */
export interface UsageSearch {
  operation?: string | undefined
  key_id?: number | undefined
  since?: string | undefined
  until?: string | undefined
  page?: number | undefined
}

export function parseUsageSearch(search: Record<string, unknown>): UsageSearch {
  const key = Number(textOf(search.key_id) ?? search.key_id)
  return {
    operation: textOf(search.operation),
    key_id: Number.isSafeInteger(key) && key > 0 ? key : undefined,
    since: textOf(search.since),
    until: textOf(search.until),
    page: pageOf(search.page),
  }
}
