import { statement } from '../../database/statements/statement.ts'
import { productNamedBy } from '../records/index.ts'
import { lineText, NAMES_OF_LINE } from './count-json.ts'
import { type CountLine, type CountState, MAX_LINES } from './schemas.ts'

/** The result of an entry: the line as the entry left it, now or earlier; otherwise the `refusal`. */
export interface Entered {
  call: number
  /** Whether the earlier entry with this id is the same; null when there is no earlier one. */
  is_same: boolean | null
  refusal: 'stale' | 'over' | 'unknown' | 'nowhere' | 'outside' | 'full' | null
  state: CountState | null
  entry_id: string | null
  line: CountLine | null
}

export type EntryValues = [
  tenantId: number | undefined,
  countIds: number[],
  productIds: (number | null)[],
  skus: (string | null)[],
  barcodes: (string | null)[],
  locationIds: string[],
  quantities: number[],
  entryIds: (string | null)[],
  operatorIds: (number | null)[],
  sentNames: string[],
]

/** An entry shows what it found, except in a blind count. */
const LINE_OF_ENTRY = lineText({ expected: 'l.expected', isHidden: 'l.blind' })

/**
 * Records entries, each all or nothing, or finds the earlier entry with the same id. No row when there is no such count. The counts differ; of
 * entries that turn out to be of the same level, all but the first are `stale`.
 *
 * As in `insert_picks`, counts are locked and lines read as of the beginning of the statement: `revision` tells whether they are out of date.
 * Levels are locked by an upsert that changes nothing, in the order in which changes of stock lock them, new ones among them.
 */
export const enterCounts = statement<EntryValues, Entered>({
  name: 'enter_counts',
  connection: 'write',
  sql: `with wanted as materialized (
     select c.*, r.revision as seen_revision, p.id as product_id
     from unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::numeric[], $8::text[], $9::bigint[], $10::text[]) with ordinality
       c (record_id, named_id, sku, barcode, location_id, quantity, entry_id, operator_id, sent_name, position)
     cross join lateral (select revision from stock_counts where tenant_id = $1 and id = c.record_id limit 1) r
     left join lateral (select id from products where tenant_id = $1 and id = coalesce(${productNamedBy('c')}) limit 1) p on true
   ), earlier as materialized (
     select w.position, e.*, e.location_id = w.location_id and e.counted = w.quantity and e.operator_id is not distinct from w.operator_id
       and (e.sent_name = w.sent_name or coalesce(e.product_id = w.product_id, false)) as is_same,
       (select blind from stock_counts where tenant_id = $1 and id = w.record_id) as blind
     from wanted w cross join lateral (
       select * from stock_count_entries where tenant_id = $1 and record_id = w.record_id and id = w.entry_id limit 1
     ) e
   ), locked_record as materialized (
     select * from stock_counts
     where tenant_id = $1 and id = any (array(select record_id from wanted w where not exists (select from earlier e where e.position = w.position)))
     order by id for no key update
   ), judged as materialized (
     select w.position, w.record_id, w.product_id, w.location_id, w.quantity, w.entry_id, w.operator_id, w.sent_name, k.warehouse_id, k.sellable,
       r.state, r.blind, l.place, l.line_id, l.counted, l.expected, case
       when r.revision <> w.seen_revision then 'stale'
       when r.state <> 'counting' then 'over'
       when w.product_id is null then 'unknown'
       when k.warehouse_id is null then 'nowhere'
       when l.line_id is null and (k.warehouse_id <> r.warehouse_id or not coalesce(w.location_id = any (r.location_ids), true)
         or not coalesce(w.product_id = any (r.product_ids), true)) then 'outside'
       when l.line_id is null and r.lines_total >= ${MAX_LINES} then 'full'
       when row_number() over (partition by w.product_id, w.location_id order by w.position) > 1 then 'stale'
     end as refusal
     from wanted w join locked_record r on r.id = w.record_id
     left join lateral (select warehouse_id, sellable from locations where tenant_id = $1 and id = w.location_id limit 1) k on true
     left join lateral (
       select ctid as place, id as line_id, counted, expected from stock_count_lines
       where tenant_id = $1 and record_id = w.record_id and product_id = w.product_id and location_id = w.location_id limit 1
     ) l on true
   ), locked_level as (
     insert into stock_levels (tenant_id, product_id, location_id, warehouse_id, sellable, quantity)
     select $1, product_id, location_id, warehouse_id, sellable, 0 from judged where refusal is null
     order by product_id, location_id
     on conflict (tenant_id, product_id, location_id) do update set quantity = stock_levels.quantity
     returning product_id, location_id, quantity
   ), counted as materialized (
     -- Timed and numbered here, with the level locked.
     select j.position, j.record_id, j.product_id, j.location_id, j.quantity, coalesce(j.entry_id, gen_random_uuid()::text) as entry_id, j.operator_id,
       j.sent_name, j.blind, j.place, j.line_id, v.quantity as level, clock_timestamp() as counted_at, nextval('stock_movements_id_seq') as counted_before,
       (j.counted is null)::int as newly_counted, (j.quantity <> v.quantity)::int - coalesce(j.counted <> j.expected, false)::int as newly_different
     from judged j join locked_level v using (product_id, location_id)
     where j.refusal is null
   ), changed_line as (
     update stock_count_lines l
     set counted = c.quantity, expected = c.level, counted_at = c.counted_at, counted_before = c.counted_before, operator_id = c.operator_id
     from counted c where l.ctid = any (array(select place from counted)) and l.ctid = c.place and l.tenant_id = $1
   ), new_line as (
     insert into stock_count_lines (tenant_id, record_id, product_id, location_id, counted, expected, counted_at, counted_before, operator_id)
     select $1, record_id, product_id, location_id, quantity, level, counted_at, counted_before, operator_id from counted where line_id is null
     returning record_id, id
   ), changed_record as (
     update stock_counts r set lines_total = r.lines_total + (c.line_id is null)::int, lines_counted = r.lines_counted + c.newly_counted,
       lines_different = r.lines_different + c.newly_different, revision = r.revision + 1, updated_at = clock_timestamp()
     from counted c where r.tenant_id = $1 and r.id = any (array(select record_id from counted)) and r.id = c.record_id
   ), new_entry as (
     insert into stock_count_entries
       (tenant_id, record_id, id, line_id, product_id, location_id, counted, expected, sent_name, operator_id, created_at)
     select $1, c.record_id, c.entry_id, coalesce(c.line_id, n.id), c.product_id, c.location_id, c.quantity, c.level, c.sent_name, c.operator_id, c.counted_at
     from counted c left join new_line n using (record_id)
     returning *
   ), shown_entry as (
     select c.position, c.blind, e.id as entry_id, e.line_id as id, e.product_id, e.location_id, e.counted, e.expected, e.created_at as counted_at, e.operator_id
     from new_entry e join counted c using (record_id)
     union all
     select e.position, e.blind, e.id, e.line_id, e.product_id, e.location_id, e.counted, e.expected, e.created_at, e.operator_id from earlier e
   ), shown_line as (
     select l.position, l.entry_id, ${LINE_OF_ENTRY}::json as line
     from (select *, null::bigint as movement_id from shown_entry) l ${NAMES_OF_LINE}
   )
   select w.position::int - 1 as call, t.is_same, j.refusal, j.state, s.entry_id, s.line
   from wanted w left join judged j using (position) left join earlier t using (position) left join shown_line s using (position)`,
})
