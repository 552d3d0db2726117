import type { z } from 'zod'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { isGiven } from '../../procedures/fields/fields.ts'
import { findProducts } from '../records/index.ts'
import { fillHold, type LockedHold, settleProductsOf } from './fill-hold.ts'
import { requireHeld } from './hold-products.ts'
import { lockHold, stateOf } from './lock-hold.ts'
import { readHold } from './read-hold.ts'
import { requireReserving } from './require-reserving.ts'
import { hold, type Hold, updateHoldInput } from './schemas.ts'

type Input = z.infer<typeof updateHoldInput>

const prolong = statement<[tenantId: number, holdId: number, ttlSeconds: number | null], never>({
  name: 'prolong_hold',
  connection: 'write',
  sql: `with prolonged as (
     update holds set updated_at = clock_timestamp(), expires_at = coalesce(clock_timestamp() + make_interval(secs => $3::int), expires_at)
     where tenant_id = $1 and id = $2
     returning expires_at
   )
   update hold_lines l set expires_at = p.expires_at from prolonged p where l.tenant_id = $1 and l.hold_id = $2`,
})

/** Changes an active hold. Throws `not_found`, `validation_error`, `hold_error` and `insufficient_stock`. */
export const updateHold = endpoint({
  name: 'holds.update',
  scope: 'write:orders',
  method: 'PUT',
  path: '/holds/{id}',
  summary: 'Change a hold',
  description:
    'Sets the expiration of an active hold, or replaces all its lines, in full or not at all. Stock that the hold already keeps counts as available.',
  errors: ['insufficient_stock', 'hold_error'],
  isAddition: true,
  input: updateHoldInput,
  output: hold,
  run: ({ caller, db }, input) => db.transaction((tx) => update(tx, caller.tenantId, input), { rows: input.lines?.length ?? 1 }),
})

async function update(tx: Queryable, tenantId: number, input: Input): Promise<Hold> {
  const locked = await lockHold(tx, tenantId, input.id)
  await requireReserving(tx, tenantId)
  await requireActiveHold(tx, locked)
  const products = input.lines ? requireHeld(input.lines, await findProducts(tx, tenantId, input.lines)) : []
  // Locks the totals. Nobody drops lines of the hold after that, so it is active if it is now.
  const before = await settleProductsOf(
    tx,
    locked,
    products.map(({ productId }) => productId),
  )
  await requireActiveHold(tx, locked)
  if (isGiven(input.ttl_seconds) || input.lines) await tx.run(prolong, [tenantId, input.id, input.ttl_seconds ?? null])
  if (input.lines) {
    await fillHold(tx, locked, products)
    await settleProductsOf(tx, locked, before)
  }
  return readHold(tx, tenantId, input.id)
}

async function requireActiveHold(tx: Queryable, locked: LockedHold): Promise<void> {
  const state = await stateOf(tx, locked)
  if (state !== 'active') throw new ServiceError('hold_error', `The hold is ${state}`)
}
