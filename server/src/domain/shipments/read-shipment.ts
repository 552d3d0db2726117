import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Shipment } from './schemas.ts'
import { SHIPMENT_JSON } from './shipment-json.ts'

/** Shipments with more lines are read on a `slow` connection: on the shared ones they would hold up other requests. */
const FEW_LINES = 100

const selectShort = statement<[tenantId: number, shipmentId: number], { shipment: Shipment | null }>({
  name: 'get_shipment',
  connection: 'read',
  sql: `select case when r.line_count <= ${FEW_LINES} then ${SHIPMENT_JSON} end as shipment
   from shipments r where r.tenant_id = $1 and r.id = $2`,
})

const selectLong = statement<[tenantId: number, shipmentId: number], { shipment: Shipment }>({
  name: 'get_long_shipment',
  connection: 'slow',
  sql: `select ${SHIPMENT_JSON} as shipment from shipments r where r.tenant_id = $1 and r.id = $2`,
})

/** A shipment with its packages. Throws `not_found`. */
export async function readShipment(db: Queryable, tenantId: number, shipmentId: number): Promise<Shipment> {
  const found = await db.runOne(selectShort, [tenantId, shipmentId])
  if (found === undefined) throw shipmentNotFound()
  return found.shipment ?? ((await db.runOne(selectLong, [tenantId, shipmentId])) as { shipment: Shipment }).shipment
}

/** The error for a shipment that the tenant does not have. */
export const shipmentNotFound = (): ServiceError => new ServiceError('not_found', 'Shipment not found')
