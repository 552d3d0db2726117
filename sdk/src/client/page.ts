/** The position of a page in its list: one of the two. */
export interface Page {
  pagination?: { page: number; total_pages: number }
  next_cursor?: string | number | null
}

/** The name of a required part that a page lacks, or undefined if it is complete. */
export function pageProblem(data: object, itemsKey: string): string | undefined {
  const items = (data as Record<string, unknown>)[itemsKey]
  if (!Array.isArray(items)) return `a page without the array ${itemsKey}`
  if (!items.every(isObject)) return `a page with an item of ${itemsKey} that is no object`
  const { pagination, next_cursor: cursor } = data as Partial<Record<keyof Page, unknown>>
  if (pagination === undefined) return isCursor(cursor) ? undefined : 'a page with neither pagination nor next_cursor'
  const { page, total_pages: totalPages } = isObject(pagination) ? (pagination as Page['pagination'] & object) : {}
  return Number.isInteger(page) && Number.isInteger(totalPages) ? undefined : 'a page whose pagination lacks its numbers'
}

/** Whether a JSON value is an object, as all data and items of the API are. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isCursor(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'number'
}
