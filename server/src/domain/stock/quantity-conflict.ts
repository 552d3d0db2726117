import { ServiceError } from '../../errors/service-error.ts'

/** Why a change with an `expected_quantity` is not made. */
export const otherQuantity = (expected: number, current: number): string => `the level is ${current}, not ${expected}`

/** The error of a change whose level is not the `expected_quantity`. */
export function quantityConflict(expected: number, current: number): ServiceError {
  const error = otherQuantity(expected, current)
  return new ServiceError('quantity_conflict', `expected_quantity: ${error}`, {
    details: [{ path: 'expected_quantity', error, current_quantity: current }],
  })
}
