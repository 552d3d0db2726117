import { pageOf, textOf } from '../../search-parameters.ts'

/** The filters of the stock screen, as they are in the address. */
export interface StockSearch {
  search?: string | undefined
  location?: string | undefined
  low?: 'true' | undefined
  /** A day of the past, for one product. */
  as_of?: string | undefined
  page?: number | undefined
}

export function parseStockSearch(search: Record<string, unknown>): StockSearch {
  return {
    search: textOf(search.search),
    location: textOf(search.location),
    low: String(search.low) === 'true' ? 'true' : undefined,
    as_of: dayOf(search.as_of),
    page: pageOf(search.page),
  }
}

const dayOf = (value: unknown): string | undefined => {
  const text = textOf(value)
  return text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined
}
