import { ServiceError } from '../../procedures/errors.ts'

/** The error of a removal that exceeds the stock. */
export function shortage(locationId: string, wanted: number, available: number | null): ServiceError {
  return new ServiceError(
    'adjustment_error',
    `Cannot remove ${wanted} from location ${locationId}: only ${available ?? 0} in stock`,
  )
}
