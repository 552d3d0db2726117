import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { paginationOf } from '../fields.ts'
import type { product, productList, productQuery } from './schemas.ts'

type Product = z.infer<typeof product>
type ProductQuery = z.infer<typeof productQuery>

const COLUMNS = [
  'id',
  'barcode',
  'external_id',
  'name',
  'description',
  'category',
  'price',
  'weight',
  'width',
  'height',
  'depth',
  'sales_unit',
  'weighable',
  'photo_url',
  'is_active',
  'created_at',
  'updated_at',
  'cost',
  'minimum_threshold',
  'reorder_quantity',
] as const satisfies readonly (keyof Product)[]

/** A page of the catalog, newest first. The page and the total are of the same moment. */
export async function listProducts(context: RequestContext, query: ProductQuery): Promise<z.infer<typeof productList>> {
  const matching = matchingProducts(context, query)
  const page = matching
    .select(COLUMNS)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(query.limit)
    .offset((query.page - 1) * query.limit)
  const rows = await context.db.kysely
    .selectFrom(matching.select((eb) => eb.fn.countAll<number>().as('total')).as('matching'))
    .leftJoin(page.as('page'), (join) => join.onTrue())
    .select('matching.total')
    .selectAll('page')
    .orderBy('page.created_at', 'desc')
    .orderBy('page.id', 'desc')
    .execute()
  const products: Product[] = []
  for (const { total: _, ...row } of rows) {
    // An empty page is one row that has nothing but the total.
    if (row.id !== null) products.push(row as Product)
  }
  return { products, pagination: paginationOf(query, rows[0]?.total ?? 0) }
}

function matchingProducts({ db, caller }: RequestContext, { search, category, is_active }: ProductQuery) {
  let matching = db.kysely.selectFrom('products').where('tenant_id', '=', caller.tenantId).where('is_active', '=', is_active)
  if (category !== undefined) matching = matching.where('category', '=', category)
  if (search !== undefined) {
    const pattern = `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`
    matching = matching.where((eb) =>
      eb.or([eb('name', 'ilike', pattern), eb('barcode', 'ilike', pattern), eb('external_id', 'ilike', pattern)]),
    )
  }
  return matching
}
