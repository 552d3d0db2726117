import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { settleProductsOf } from './fill-hold.ts'
import { lockHold, stateOf } from './lock-hold.ts'
import { readHold } from './read-hold.ts'
import { hold, type Hold, holdId } from './schemas.ts'

const release = statement<[tenantId: number, holdId: number], never>({
  name: 'release_hold',
  connection: 'write',
  sql: `with released as (
     update holds set state = 'released', updated_at = clock_timestamp() where tenant_id = $1 and id = $2
   ), kept as materialized (
     select ctid as place, product_id, warehouse_id, reserved from hold_lines where tenant_id = $1 and hold_id = $2 and reserved > 0
   ), emptied as (
     update hold_lines l set reserved = 0 from kept k where l.ctid = any (array(select place from kept)) and l.ctid = k.place
   )
   update warehouse_stock w set reserved = w.reserved - k.reserved, held = w.held - k.reserved
   from (select product_id, warehouse_id, sum(reserved) as reserved from kept group by product_id, warehouse_id) k
   where w.tenant_id = $1 and w.product_id = any (array(select product_id from kept)) and w.product_id = k.product_id and w.warehouse_id = k.warehouse_id`,
})

/** Releases a hold. Releasing one that was released or has expired changes nothing. Throws `not_found` and `hold_error`. */
export const releaseHold = endpoint({
  name: 'holds.release',
  scope: 'write:orders',
  method: 'DELETE',
  path: '/holds/{id}',
  summary: 'Release a hold',
  description: 'Frees the stock of the hold. Releasing a released or expired hold succeeds and changes nothing.',
  errors: ['hold_error'],
  isAddition: true,
  input: holdId,
  output: hold,
  run: ({ caller, db }, { id }) => db.transaction((tx) => releaseIn(tx, caller.tenantId, id)),
})

async function releaseIn(tx: Queryable, tenantId: number, id: number): Promise<Hold> {
  const locked = await lockHold(tx, tenantId, id)
  const state = await stateOf(tx, locked)
  if (state === 'consumed') throw new ServiceError('hold_error', 'An order has taken over the hold')
  if (state === 'active') {
    // Locks the totals.
    const products = await settleProductsOf(tx, locked, [])
    if ((await stateOf(tx, locked)) === 'active') {
      await tx.run(release, [tenantId, id])
      await settleProductsOf(tx, locked, products)
    }
  }
  return readHold(tx, tenantId, id)
}
