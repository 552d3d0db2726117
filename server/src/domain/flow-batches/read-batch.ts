import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { batchJson } from './batch-json.ts'
import type { FlowBatch } from './schemas.ts'
import { STOPS, STOPS_TEXT } from './stops.ts'

// A batch has at least one flow, so all parts of the text are there.
const selectBatch = statement<[tenantId: number, batchId: number], { batch: FlowBatch }>({
  name: 'get_flow_batch',
  connection: 'slow',
  notNull: ['batch'],
  sql: `with chosen as materialized (
     select * from flow_batches where tenant_id = $1 and id = $2
   ), ${STOPS}
   select ${batchJson(STOPS_TEXT)} as batch from chosen r`,
})

/** A batch with its stops. Throws `not_found`. */
export async function readBatch(db: Queryable, tenantId: number, batchId: number): Promise<FlowBatch> {
  const found = await db.runOne(selectBatch, [tenantId, batchId])
  if (found === undefined) throw batchNotFound()
  return found.batch
}

/** The error for a batch that the tenant does not have. */
export const batchNotFound = (): ServiceError => new ServiceError('not_found', 'Batch not found')
