import { statement } from '../../database/statements/statement.ts'
import { exportedList, rowsToScan, type ScannedRow, scanList, scanned } from '../../procedures/exported-list.ts'
import type { ListedProduct } from './list-statements.ts'
import { withTolerance } from './tolerance.ts'
import { listProductsInput, product } from './schemas.ts'

type Row = ScannedRow & { [Column in keyof ListedProduct]: ListedProduct[Column] | null }

const COLUMNS = Object.keys(product.shape) as (keyof ListedProduct)[]
const contains = (text: string): string => `strpos(fold_case(p.${text}), (select fold_case($7::text))) > 0`

const exportProducts = statement<
  [
    tenantId: number,
    positionAt: string,
    positionId: number,
    isActive: boolean,
    limit: number,
    category: string | undefined,
    search: string | undefined,
  ],
  Row
>({
  name: 'export_products',
  connection: 'slow',
  sql: `with ${scanned({
    source: `select id, created_at from (
       select id, created_at from products
       where tenant_id = $1 and is_active = $4 and (created_at, id) < ($2::timestamptz, $3::bigint)
       order by created_at desc, id desc limit 10000
     ) p limit $5::bigint`,
    record: `select ${COLUMNS.map((column) => `p.${column}`).join(', ')} from products p
     where p.tenant_id = $1 and p.id = n.id and ($6::text is null or p.category = $6)
       and ($7::text is null or ${['name', 'barcode', 'external_id'].map(contains).join(' or ')})
     limit 1`,
    columns: COLUMNS.map((column) => `r.${column}`).join(', '),
  })}`,
})

/** The catalog, newest first. */
export const exportedProducts = exportedList({
  name: 'products',
  scope: 'read:products',
  query: listProductsInput,
  columns: COLUMNS,
  async *read(db, tenantId, { is_active, category, search }) {
    const limit = rowsToScan([category, search])
    const batches = scanList(limit, ({ at, id }) =>
      db.run(exportProducts, [tenantId, at, id, is_active, limit, category, search]),
    )
    for await (const rows of batches) yield rows.filter((row) => row.id !== null).map(withTolerance)
  },
})
