import { statement, type Statement } from '../../database/statements/statement.ts'
import { recordsContaining, recordsContainingShort } from '../../database/statements/text-search.ts'
import type { z } from 'zod'
import type { product } from './schemas.ts'

export type ListedProduct = z.infer<typeof product>

/** A product of the page. An empty page has one row of nulls and the total. */
export type ListRow = { total: number } & (ListedProduct | { [Column in keyof ListedProduct]: null })

type ListValues = [tenantId: number, isActive: boolean, offset: number, limit: number, ...filters: string[]]
export type ListStatement = Statement<ListValues, ListRow>

const NEWEST_FIRST = 'order by created_at desc, id desc'

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
  'pick_tolerance_percent',
] as const satisfies readonly (keyof ListedProduct)[]

/** Only the products of the page are read as rows. The array makes it a lookup by id in any plan, even a plan made on an empty table. */
const SELECT_PAGE = `
   select t.total, ${COLUMNS.map((column) => `p.${column}`).join(', ')}
   from total t left join products p on p.tenant_id = $1 and p.id = any (array(select id from page))
   order by p.created_at desc, p.id desc`

const TOTAL = `total as materialized (
       select coalesce(sum(n), 0)::bigint as total from (
         select count as n from product_totals where tenant_id = $1 and is_active = $2
         union all
         select change from product_count_changes where tenant_id = $1 and is_active = $2
       ) c
     )`

/**
 * By counts of active and of deleted products, which are kept as products change. The literal limit is for the planner, which takes a parameter
 * alone to mean a tenth of the table.
 */
const listAll: ListStatement = statement({
  name: 'list_products',
  connection: 'read',
  sql: `with ${TOTAL}, page as materialized (
       select id from (
         select id from products where tenant_id = $1 and is_active = $2 ${NEWEST_FIRST} limit 100 offset $3::bigint
       ) p limit $4::bigint
     )${SELECT_PAGE}`,
})

/** The matching products are found and counted. `source` is what `from` reads. */
function listMatching(name: string, source: string): ListStatement {
  return statement({
    name,
    connection: 'slow',
    sql: `with matching as materialized (
       select id, created_at from ${source}
     ), total as materialized (
       select count(*) as total from matching
     ), page as materialized (
       select id from (select * from matching ${NEWEST_FIRST} limit 100 offset $3::bigint) p limit $4::bigint
     )${SELECT_PAGE}`,
  })
}

const SEARCHED = { table: 'products', texts: ['name', 'barcode', 'external_id'], columns: ['id', 'created_at'] }
const IN_ACTIVITY = 'is_active = $2'
const OF_CATEGORY = [IN_ACTIVITY, 'category = $5']

/** Lists of active or of deleted products. `$5` is the category, if there is one. */
export const LIST = {
  all: listAll,
  ofCategory: listMatching('list_products_of_category', `products where ${['tenant_id = $1', ...OF_CATEGORY].join(' and ')}`),
}

/** Lists of the products that contain a text: the last parameter. */
export const LIST_CONTAINING = {
  all: listMatching('find_products', recordsContaining(SEARCHED, '$5::text', [IN_ACTIVITY])),
  ofCategory: listMatching('find_products_of_category', recordsContaining(SEARCHED, '$6::text', OF_CATEGORY)),
}

/** The same for a text that is too short for the index. */
export const LIST_CONTAINING_SHORT = {
  all: listMatching('find_products_short', recordsContainingShort(SEARCHED, '$5::text', [IN_ACTIVITY])),
  ofCategory: listMatching('find_products_of_category_short', recordsContainingShort(SEARCHED, '$6::text', OF_CATEGORY)),
}
