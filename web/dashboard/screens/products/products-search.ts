import { pageOf, textOf } from '../../search-parameters.ts'

/** The filters of the list of products, as they are in the address. */
export interface ProductsSearch {
  search?: string | undefined
  category?: string | undefined
  active?: 'false' | undefined
  page?: number | undefined
}

export function parseProductsSearch(search: Record<string, unknown>): ProductsSearch {
  return {
    search: textOf(search.search),
    category: textOf(search.category),
    active: String(search.active) === 'false' ? 'false' : undefined,
    page: pageOf(search.page),
  }
}
