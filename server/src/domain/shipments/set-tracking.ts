import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { requireNone } from '../records/index.ts'
import type { ShipmentState, Tracking } from './schemas.ts'

const FIELDS = ['carrier', 'tracking_number', 'tracking_url'] as const
type Field = (typeof FIELDS)[number]

type Given = boolean[]
type Texts = (string | null)[]

const update = statement<
  [tenantId: number, shipmentId: number, numbers: number[], Given, Texts, Given, Texts, Given, Texts],
  { state: ShipmentState; unknown: number[] }
>({
  name: 'set_tracking',
  connection: 'write',
  sql: `with locked as materialized (
     select id, state from shipments where tenant_id = $1 and id = $2 for no key update
   ), named as materialized (
     select * from unnest($3::bigint[], $4::boolean[], $5::text[], $6::boolean[], $7::text[], $8::boolean[], $9::text[]) with ordinality
       n (number, ${FIELDS.map((field) => `${field}_given, ${field}`).join(', ')}, position)
   ), next as materialized (
     select k.number, ${FIELDS.map((field) => `case when n.${field}_given then n.${field} else k.${field} end as ${field}`).join(', ')}
     from locked r cross join named n join shipment_packages k on k.tenant_id = $1 and k.record_id = r.id and k.number = n.number
     where r.state <> 'cancelled'
   ), changed as (
     update shipment_packages k set ${FIELDS.map((field) => `${field} = n.${field}`).join(', ')}
     from next n where k.tenant_id = $1 and k.record_id = $2 and k.number = n.number
       and (${FIELDS.map((field) => `k.${field}`).join(', ')}) is distinct from (${FIELDS.map((field) => `n.${field}`).join(', ')})
     returning k.number
   ), touched as (
     update shipments set updated_at = clock_timestamp() where tenant_id = $1 and id = $2 and exists (select from changed)
   )
   select state, array(select (position - 1)::int from named where number not in (select number from next)) as unknown from locked`,
})

/** Changes the tracking of packages, in a transaction. Throws `shipment_error`, and `validation_error` for a number that no package has. */
export async function setTracking(
  tx: Queryable,
  tenantId: number,
  shipmentId: number,
  tracking: readonly Tracking[],
): Promise<void> {
  // Of several entries for one package, a later one overrides.
  const byNumber = new Map<number, Tracking>()
  for (const entry of tracking) byNumber.set(entry.number, { ...byNumber.get(entry.number), ...givenOf(entry) })
  const entries = [...byNumber.values()]
  const given = (field: Field): Given => entries.map((entry) => entry[field] !== undefined)
  const texts = (field: Field): Texts => entries.map((entry) => entry[field] ?? null)
  const row = await tx.runOne(update, [
    tenantId,
    shipmentId,
    entries.map(({ number }) => number),
    given('carrier'),
    texts('carrier'),
    given('tracking_number'),
    texts('tracking_number'),
    given('tracking_url'),
    texts('tracking_url'),
  ])
  if (row?.state === 'cancelled')
    throw new ServiceError('shipment_error', 'The shipment is cancelled: its tracking can no longer be changed')
  const unknown = new Set(row?.unknown.map((index) => entries[index]?.number))
  requireNone(
    tracking.flatMap(({ number }, index) =>
      unknown.has(number) ? [{ path: `tracking[${index}].number`, error: 'no package has this number' }] : [],
    ),
  )
}

const givenOf = (entry: Tracking): Tracking =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as Tracking
