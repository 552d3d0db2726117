import { isFoundByIndex } from '../../database/statements/text-search.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import {
  LIST,
  LIST_CONTAINING,
  LIST_CONTAINING_SHORT,
  type ListStatement,
  type ListRow,
  type ListedProduct,
} from './list-statements.ts'
import { withTolerance } from './tolerance.ts'
import { listProductsOutput, listProductsInput } from './schemas.ts'

/** From this offset on, a page reads so many index entries that it would hold up the shared connections. */
const FAR_OFFSET = 1_000

/** A page of the catalog, newest first. Page and total come from the same snapshot. */
export const listProducts = endpoint({
  name: 'products.list',
  scope: 'read:products',
  method: 'GET',
  path: '/products',
  summary: 'List products',
  description: 'Newest first. Deleted products are excluded; `is_active=false` lists only deleted products.',
  isAddition: true,
  readsReplica: true,
  input: listProductsInput,
  output: listProductsOutput,
  run: async ({ db, caller }, query) => {
    const { search, category, is_active, limit } = query
    const offset = (query.page - 1) * limit
    const given = [category, search].filter((filter) => filter !== undefined)
    const list = listFor(search)[category === undefined ? 'all' : 'ofCategory']
    const isQuick = offset < FAR_OFFSET && given.length === 0
    const rows = await db.run(list, [caller.tenantId, is_active, offset, limit, ...given], isQuick ? {} : { connection: 'slow' })
    return { products: rows.flatMap(productOf), pagination: paginationOf(query, rows[0]?.total ?? 0) }
  },
})

function listFor(search: string | undefined): Record<'all' | 'ofCategory', ListStatement> {
  if (search === undefined) return LIST
  return isFoundByIndex(search) ? LIST_CONTAINING : LIST_CONTAINING_SHORT
}

/** Drops the row that only holds the total of an empty page. */
function productOf(row: ListRow): ListedProduct[] {
  if (row.id === null) return []
  const { total: _, ...product } = row
  return [withTolerance(product)]
}
