import { ServiceError } from '../../errors/service-error.ts'
import { MAX_QUANTITY } from '../../procedures/fields/fields.ts'

export const OUT_OF_RANGE_MESSAGE = `The stock level would leave the range 0 to ${MAX_QUANTITY}`

/** The error of a removal that exceeds the stock. */
export function shortage(locationId: string, wanted: number, available: number | null): ServiceError {
  return new ServiceError(
    'adjustment_error',
    `Cannot remove ${wanted} from location ${locationId}: only ${available ?? 0} in stock`,
  )
}

/** The error of an addition beyond the maximum of a level. */
export function outOfRange(): ServiceError {
  return new ServiceError('adjustment_error', OUT_OF_RANGE_MESSAGE)
}
