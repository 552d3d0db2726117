import { invalidField } from '../../errors/invalid-field.ts'
import type { ServiceError } from '../../errors/service-error.ts'

/** The error for the id of a warehouse that the tenant does not have, in the field `path`. */
export const warehouseNotFound = (path = 'warehouse_id'): ServiceError => invalidField(path, 'no warehouse has this id')
