import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { LOCATION_COLUMNS } from './location-columns.ts'
import { createLocationInput, createLocationOutput } from './schemas.ts'
import { warehouseNotFound } from './warehouse-not-found.ts'

type Location = z.infer<typeof createLocationOutput>

const insertLocation = statement<
  [
    tenantId: number,
    id: string,
    code: string | null,
    name: string | null,
    warehouseId: number,
    pickable: boolean,
    sellable: boolean,
    pickSequence: number | null,
  ],
  { warehouse_exists: boolean; location: Location | null }
>({
  name: 'create_location',
  connection: 'write',
  sql: `with warehouse as materialized (
     select id from warehouses where tenant_id = $1 and id = $5
   ), created as (
     insert into locations (tenant_id, id, code, name, warehouse_id, pickable, sellable, pick_sequence)
     select $1, $2, coalesce($3, $2), $4, id, $6, $7, $8 from warehouse
     -- Of any unique key: locations has two.
     on conflict do nothing
     returning ${LOCATION_COLUMNS}
   )
   select exists (select from warehouse) as warehouse_exists, (select row_to_json(c) from created c) as location`,
})

/** Creates a location. Throws `validation_error` when the warehouse is unknown, and `already_exists` when a location has the id. */
export const createLocation = endpoint({
  name: 'locations.create',
  scope: 'write:stock',
  method: 'POST',
  path: '/locations',
  summary: 'Create a location',
  description:
    'Creates a location before it has stock. If a stock call names a location that does not exist, the location is created with the defaults of this call.',
  errors: ['already_exists'],
  isAddition: true,
  input: createLocationInput,
  output: createLocationOutput,
  run: async ({ db, caller }, input) => {
    const row = await db.runOne(insertLocation, [
      caller.tenantId,
      input.id,
      input.code ?? null,
      input.name ?? null,
      input.warehouse_id ?? caller.defaultWarehouse.id,
      input.pickable ?? true,
      input.sellable ?? true,
      input.pick_sequence ?? null,
    ])
    if (row?.warehouse_exists !== true) throw warehouseNotFound()
    if (row.location === null) throw new ServiceError('already_exists', `A location has the id "${input.id}"`)
    return row.location
  },
})
