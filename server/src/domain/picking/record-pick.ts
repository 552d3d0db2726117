import { invalidField } from '../../errors/invalid-field.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { shortage } from '../stock/index.ts'
import { insertPicks, type PickResult } from './insert-pick.ts'
import { flowNotFound } from './order-lock.ts'
import { foreignFlowOf, requiredOperator } from './own-flow.ts'
import { shownPick } from './pick-row.ts'
import { recordPickInput, type NewPick, pickResult, type PickResponse } from './schemas.ts'

/**
 * Takes a quantity of a product from a location for the order of a running flow. Sending the same pick again changes nothing and returns
 * the same result, even after the flow ended or the pick was undone. Throws `not_found`, `validation_error` for a fraction of a product
 * that is not weighable, `flow_error` when the flow is over or another operator's, the pick exceeds the ordered quantity and its tolerance,
 * the location is not pickable or another pick has the pick_id, and `adjustment_error` when stock is short.
 */
export const recordPick = endpoint({
  name: 'flows.pick',
  scope: 'write:orders',
  method: 'POST',
  path: '/flows/{id}/picks',
  summary: 'Record a pick',
  description: `Takes a quantity from stock at a location, all or nothing. The quantity cannot exceed the quantity left to pick or the stock at the location. A line with a tolerance can be picked up to its \`maximum_quantity\`. \`barcode\` or \`product_id\` fills the open lines of the product in order, each up to its ordered quantity, then in the same order up to their tolerance; \`order_detail_id\` fills that line alone. The location can be in any warehouse; one that is not \`pickable\` returns \`flow_error\`.

Writes an \`OUT\` movement with the reason \`order_fulfillment\` and sends the stock events.

A pick with a \`pick_id\` is safe to retry at any time: a repeated call changes nothing and returns the same response, even after the flow ended or the pick was undone. A \`pick_id\` that a different pick of the flow has used returns \`flow_error\`.`,
  errors: ['flow_error', 'adjustment_error'],
  isAddition: true,
  input: recordPickInput,
  output: pickResult,
  run: async ({ db, caller }, input) => {
    const [result] = await db.runBatched(insertPicks, { caller, input, operatorEmail: requiredOperator(caller) })
    if (result?.refusal === 'foreign') throw foreignFlowOf(caller, result.foreign_operator as string)
    return responseOf(result, input)
  },
})

function responseOf(result: PickResult | undefined, input: NewPick): PickResponse {
  if (result === undefined) throw flowNotFound()
  if (result.is_same === false)
    throw new ServiceError('flow_error', `Another pick of this flow has the pick_id "${input.pick_id}"`)
  if (result.pick === null) throw refused(result, input)
  return { pick: shownPick(result.pick), lines: result.pick.lines }
}

function refused({ refusal, state, quantity, room, available }: PickResult, input: NewPick): ServiceError {
  switch (refusal) {
    case 'unmeasured':
      return invalidField('quantity', 'is required')
    case 'over':
      return new ServiceError('flow_error', `The picking flow is ${state}`)
    case 'unknown':
      return new ServiceError(
        'not_found',
        typeof input.order_detail_id === 'number' ? 'Order line not found' : 'Product not found',
      )
    case 'fraction':
      return invalidField('quantity', 'must be an integer, because the product is not weighable')
    case 'beyond':
      return new ServiceError('flow_error', `Cannot pick ${quantity}: only ${room} left to pick`)
    case 'unpickable':
      return new ServiceError('flow_error', `Location ${input.location_id} is not pickable`)
    default:
      return shortage(input.location_id, quantity ?? 0, available)
  }
}
