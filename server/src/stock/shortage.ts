import { ServiceError } from '../errors.ts'

/** The error of a removal that is larger than the stock. */
export function shortage(locationId: string, wanted: number, available: number | null): ServiceError {
  return new ServiceError(
    'adjustment_error',
    `Cannot remove ${wanted} from location ${locationId}: only ${available ?? 0} in stock`,
  )
}
