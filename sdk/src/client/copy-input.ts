import type { CallInput } from './prepare-request.ts'
import type { RequestHeaders } from './options.ts'
import { headerEntries } from './request-headers.ts'

/**
 * The input of a list as it is now. Its requests are sent later, one for each page: the caller may have changed the objects by then, and
 * headers from an iterator can be read only once.
 */
export function copyInput(input: CallInput): CallInput {
  const { query, options } = input
  return {
    ...input,
    query: copyFilters(query),
    options: options && { ...options, headers: copyHeaders(options.headers) },
  }
}

// What is no object is kept, for the error of the request.
const copyHeaders = (headers: RequestHeaders | undefined): RequestHeaders | undefined =>
  typeof headers === 'object' && headers !== null ? headerEntries(headers) : headers

// The same, for the error that names it.
function copyFilters(filters: object | undefined): object | undefined {
  if (typeof filters !== 'object' || filters === null) return filters
  const copies = Object.entries(filters).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value])
  return Object.fromEntries(copies)
}
