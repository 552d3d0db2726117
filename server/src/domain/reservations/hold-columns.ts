import { KEEPS_HOLDS } from '../reservation-core/index.ts'

/** SQL for the state of a hold `h`, which follows from its time: expired holds count for nothing at once. Without a policy none is active. */
export const HOLD_STATE = `case when h.state <> 'active' then h.state when h.expires_at <= clock_timestamp() then 'expired'
     when ${KEEPS_HOLDS} then 'active' else 'released' end`

/** SQL for the fields of a hold `h` as the API shows it. */
export const HOLD_COLUMNS = `h.id, h.reference, ${HOLD_STATE} as state, h.warehouse_id, (
     select json_agg(json_build_object('product_id', l.product_id, 'sku', p.external_id, 'barcode', p.barcode, 'product_name', p.name,
       'quantity', l.quantity::float8, 'reserved_quantity', case when ${HOLD_STATE} = 'active' then l.reserved::float8 else 0 end) order by l.line_number)
     from hold_lines l cross join lateral (
       select external_id, barcode, name from products where tenant_id = $1 and id = l.product_id limit 1
     ) p
     where l.tenant_id = $1 and l.hold_id = h.id
   ) as lines, h.expires_at, h.order_id, h.created_by, h.created_at, h.updated_at`
