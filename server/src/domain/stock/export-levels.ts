import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { exportedList, rowsToScan } from '../../procedures/exported-list.ts'
import { stockLevel, stockOverviewInput } from './schemas.ts'

type Level = z.infer<typeof stockLevel>
/** A level that matches, or the last one that was read. */
type Row = { scanned: number; last_product: number; last_location: string } & { [Column in keyof Level]: Level[Column] | null }

const COLUMNS = Object.keys(stockLevel.shape) as (keyof Level)[]
const contains = (text: string): string => `strpos(fold_case(p.${text}), (select fold_case($6::text))) > 0`

const exportLevels = statement<
  [
    tenantId: number,
    afterProduct: number,
    afterLocation: string,
    limit: number,
    locationId: string | undefined,
    search: string | undefined,
    low: boolean,
  ],
  Row
>({
  name: 'export_stock_levels',
  connection: 'slow',
  sql: `with read as materialized (
     select * from (
       select product_id, location_id, warehouse_id, quantity from stock_levels
       where tenant_id = $1 and (product_id, location_id) > ($2::bigint, $3::text)
       order by product_id, location_id limit 10000
     ) v limit $4::bigint
   ), numbered as (
     select *, count(*) over () as scanned, row_number() over (order by product_id desc, location_id desc) = 1 as is_last from read
   )
   select n.scanned, n.product_id as last_product, n.location_id as last_location, p.id as product_id, p.external_id as sku, p.barcode,
     p.name as product_name, p.is_active, case when p.id is not null then n.location_id end as location_id, l.code as location_code,
     case when p.id is not null then n.warehouse_id end as warehouse_id, case when p.id is not null then n.quantity end as quantity
   from numbered n
   left join lateral (
     select id, external_id, barcode, name, is_active from products p
     where p.tenant_id = $1 and p.id = n.product_id and p.is_active and ($5::text is null or n.location_id = $5)
       and ($6::text is null or ${['name', 'barcode', 'external_id'].map(contains).join(' or ')})
       and (not $7::boolean or p.minimum_threshold is not null and p.minimum_threshold > coalesce((
         select sum(w.quantity) from warehouse_stock w where w.tenant_id = $1 and w.product_id = p.id
       ), 0))
     limit 1
   ) p on true
   left join lateral (select code from locations where tenant_id = $1 and id = n.location_id limit 1) l on p.id is not null
   where p.id is not null or n.is_last
   order by n.product_id, n.location_id`,
})

/** The stock levels of active products, by product and location. With a location, the levels there. */
export const exportedLevels = exportedList({
  name: 'levels',
  scope: 'read:stock',
  query: stockOverviewInput,
  columns: COLUMNS,
  async *read(db, tenantId, { location_id, search, low }) {
    const limit = rowsToScan([location_id, search, low])
    let [product, location] = [0, '']
    for (;;) {
      const rows = await db.run(exportLevels, [tenantId, product, location, limit, location_id, search, low])
      yield rows.filter((row) => row.product_id !== null)
      const last = rows.at(-1)
      if (last === undefined || last.scanned < limit) return
      ;[product, location] = [last.last_product, last.last_location]
    }
  },
})
