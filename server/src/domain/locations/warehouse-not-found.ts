import { ServiceError } from '../../errors/service-error.ts'

/** The error for a `warehouse_id` that the tenant does not have. */
export function warehouseNotFound(): ServiceError {
  const error = 'no warehouse has this id'
  return new ServiceError('validation_error', `warehouse_id: ${error}`, { details: [{ path: 'warehouse_id', error }] })
}
