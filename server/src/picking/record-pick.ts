import type { RequestContext } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { ServiceError } from '../errors.ts'
import { shortage } from '../stock/index.ts'
import { flowNotFound, lockOrderOfFlow } from './lock-order.ts'
import { insertPick, type PickResult } from './insert-pick.ts'
import { shownPick } from './pick-row.ts'
import type { NewPick, PickAnswer } from './schemas.ts'

/**
 * Takes a quantity of a product out of a location for the order of a running flow. The same pick sent again has no effect and gets the
 * same answer, also when the flow has ended or the pick was undone since. Throws `not_found`, `validation_error` for a fraction of a
 * product that is not weighable, `flow_error` when the flow is over, more is picked than ordered or the pick_id is another pick's, and
 * `adjustment_error` when more is picked than is in stock.
 */
export async function recordPick(context: RequestContext, input: NewPick): Promise<PickAnswer> {
  const result = await insert(context, context.db, input)
  if (result?.refusal !== 'stale') return answerOf(result, input)
  // Others picked in this flow while the statement waited for them: it runs again, with nobody to wait for.
  return context.db.transaction(async (tx) => {
    await lockOrderOfFlow({ ...context, db: tx }, input.id)
    return answerOf(await insert(context, tx, input), input)
  })
}

function insert({ caller }: RequestContext, db: Queryable, input: NewPick): Promise<PickResult | undefined> {
  return db.runOne(insertPick, [
    caller.tenantId,
    input.id,
    input.product_id ?? null,
    input.barcode ?? null,
    input.order_detail_id ?? null,
    input.location_id,
    input.quantity,
    input.pick_id ?? null,
    caller.defaultWarehouse.id,
    caller.keyName,
  ])
}

function answerOf(result: PickResult | undefined, input: NewPick): PickAnswer {
  if (result === undefined) throw flowNotFound()
  if (result.is_same === false)
    throw new ServiceError('flow_error', `Another pick of this flow has the pick_id "${input.pick_id}"`)
  if (result.pick === null) throw refused(result, input)
  return { pick: shownPick(result.pick), lines: result.pick.lines }
}

function refused({ refusal, state, remaining, available }: PickResult, input: NewPick): ServiceError {
  switch (refusal) {
    case 'over':
      return new ServiceError('flow_error', `The picking flow is ${state}`)
    case 'unknown':
      return new ServiceError(
        'not_found',
        typeof input.order_detail_id === 'number' ? 'Order line not found' : 'Product not found',
      )
    case 'fraction': {
      const error = 'must be an integer, because the product is not weighable'
      return new ServiceError('validation_error', `quantity: ${error}`, { details: [{ path: 'quantity', error }] })
    }
    case 'beyond':
      return new ServiceError('flow_error', `Cannot pick ${input.quantity}: only ${remaining} left to pick`)
    default:
      return shortage(input.location_id, input.quantity, available)
  }
}
