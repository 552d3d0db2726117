import type { z } from 'zod'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { invalidFields } from '../../errors/invalid-field.ts'
import type { ServiceError } from '../../errors/service-error.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { recordEvents } from '../events/index.ts'
import { warehouseNotFound } from '../locations/index.ts'
import { earlierRecord, findReferenceIn, hashOf, recordEventPosition } from '../records/index.ts'
import { countUpdatedData } from './count-json.ts'
import { readCount } from './read-count.ts'
import { count, type Count, createCountInput, MAX_LINES } from './schemas.ts'

type Input = z.infer<typeof createCountInput>

const findByReference = findReferenceIn('stock_counts')

const checkScope = statement<
  [tenantId: number, warehouseId: number, locationIds: string[], productIds: number[]],
  { warehouse_exists: boolean; location_problems: (string | null)[]; unknown_products: boolean[] }
>({
  name: 'check_scope_of_count',
  connection: 'slow',
  sql: `select exists (select from warehouses where tenant_id = $1 and id = $2) as warehouse_exists, array(
     select case when k.id is null then 'unknown' when k.warehouse_id <> $2 then 'elsewhere' end
     from unnest($3::text[]) with ordinality w (id, position)
     left join lateral (select id, warehouse_id from locations where tenant_id = $1 and id = w.id limit 1) k on true
     order by w.position
   ) as location_problems, array(
     select not exists (select from products where tenant_id = $1 and id = w.id)
     from unnest($4::bigint[]) with ordinality w (id, position) order by w.position
   ) as unknown_products`,
})

type Values = [
  tenantId: number,
  reference: string | null,
  sent: Buffer,
  meant: Buffer,
  warehouseId: number,
  locationIds: string[] | null,
  productIds: number[] | null,
  blind: boolean,
  note: string | null,
  createdBy: string,
]

/** Levels of the scope, found by the index that `by` names. One more than a count has lines are enough to refuse it. */
function insertCount(name: string, levels: string) {
  return statement<Values, { id: number | null; lines: number }>({
    name,
    connection: 'write',
    sql: `with level as materialized (
     select v.product_id, v.location_id from ${levels} where v.warehouse_id = $5 and v.quantity > 0
       and ($6::text[] is null or v.location_id = any ($6)) and ($7::bigint[] is null or v.product_id = any ($7))
     limit ${MAX_LINES + 1}
   ), new_record as (
     insert into stock_counts (tenant_id, reference, sent_hash, content_hash, warehouse_id, location_ids, product_ids, blind, note, created_by, lines_total)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, n.lines from (select count(*) as lines from level) n where n.lines between 1 and ${MAX_LINES}
     on conflict (tenant_id, reference) do nothing
     returning *
   ), new_line as (
     insert into stock_count_lines (tenant_id, record_id, product_id, location_id)
     select $1, r.id, v.product_id, v.location_id from new_record r cross join level v
     cross join lateral (select pick_sequence from locations where tenant_id = $1 and id = v.location_id limit 1) k
     order by k.pick_sequence nulls last, v.location_id, v.product_id
   ), record_event as (
     select ${recordEventPosition('count', 'r.id')} as position, 'count/updated' as topic, ${countUpdatedData('null')} as data from new_record r
   ), ${recordEvents('record_event')}
   select (select id from new_record) as id, (select count(*) from level) as lines`,
  })
}

const ofTenant = (table: string, condition: string): string =>
  `${table} cross join lateral (select product_id, location_id, warehouse_id, quantity from stock_levels where tenant_id = $1 and ${condition} offset 0) v`
const insertByLocations = insertCount(
  'insert_count_of_locations',
  ofTenant('(select distinct unnest($6::text[]) as id) x', 'location_id = x.id'),
)
const insertByProducts = insertCount(
  'insert_count_of_products',
  ofTenant('(select distinct unnest($7::bigint[]) as id) x', 'product_id = x.id'),
)

/** Begins a count. Throws `validation_error` and `idempotency_conflict`. */
export const createCount = endpoint({
  name: 'counts.create',
  scope: 'write:stock',
  method: 'POST',
  path: '/counts',
  summary: 'Begin a count',
  description: `Begins a count of locations, of products, or of both. Its lines are the levels above 0 of this scope, at most ${MAX_LINES}. Picking and receiving continue during the count.

Sending the same count again with its \`reference\` changes nothing and returns its current state, at any later time. Different content with the same \`reference\` is an \`idempotency_conflict\`.`,
  isAddition: true,
  input: createCountInput,
  output: count,
  run: ({ caller, db }, input) => db.transaction((tx) => create(tx, caller, input), { rows: MAX_LINES }),
})

async function create(
  tx: Queryable,
  { tenantId, keyName, defaultWarehouse }: RequestContext['caller'],
  input: Input,
): Promise<Count> {
  const {
    reference = null,
    warehouse_id: sentWarehouse = null,
    location_ids: locationIds = null,
    product_ids: productIds = null,
  } = input
  const warehouseId = sentWarehouse ?? defaultWarehouse.id
  const [blind, note] = [input.blind ?? false, input.note ?? null]
  const scope = [locationIds, productIds, blind, note]
  const content = { sent: hashOf([sentWarehouse, ...scope]), meant: hashOf([warehouseId, ...scope]) }
  const earlier = await earlierRecord(tx, findByReference, tenantId, reference, content)
  if (earlier !== undefined) return readCount(tx, tenantId, earlier)
  await requireScope(tx, tenantId, warehouseId, input)
  const insert = productIds === null ? insertByLocations : insertByProducts
  const values: Values = [
    tenantId,
    reference,
    content.sent,
    content.meant,
    warehouseId,
    locationIds,
    productIds,
    blind,
    note,
    keyName,
  ]
  const [row] = await tx.run(insert, values)
  const lines = row?.lines ?? 0
  if (lines === 0) throw invalidScope(input, 'the scope has no stock')
  if (lines > MAX_LINES) throw invalidScope(input, `the scope has more than ${MAX_LINES} levels with stock`)
  // A parallel call has made it: the insert has waited for its end.
  const id = row?.id ?? (await earlierRecord(tx, findByReference, tenantId, reference, content))
  return readCount(tx, tenantId, id as number)
}

const PROBLEMS: Record<string, string> = { unknown: 'no location has this id', elsewhere: 'is a location of another warehouse' }

async function requireScope(tx: Queryable, tenantId: number, warehouseId: number, input: Input): Promise<void> {
  const [row] = await tx.run(checkScope, [tenantId, warehouseId, input.location_ids ?? [], input.product_ids ?? []])
  if (row?.warehouse_exists !== true) throw warehouseNotFound()
  const details = [
    ...row.location_problems.flatMap((problem, index) =>
      problem === null ? [] : [{ path: `location_ids[${index}]`, error: PROBLEMS[problem] as string }],
    ),
    ...row.unknown_products.flatMap((isUnknown, index) =>
      isUnknown ? [{ path: `product_ids[${index}]`, error: 'no product has this id' }] : [],
    ),
  ]
  if (details.length > 0) throw invalidFields(details)
}

/** The error of what locations and products have together. It names those of them that were given. */
function invalidScope(input: Input, error: string): ServiceError {
  return invalidFields(
    (['location_ids', 'product_ids'] as const).filter((path) => input[path] != null).map((path) => ({ path, error })),
  )
}
