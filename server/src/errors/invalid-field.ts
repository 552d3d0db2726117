import { ServiceError } from './service-error.ts'

/** What is wrong with a field of the input. */
export interface FieldProblem {
  path: string
  error: string
}

/** The `validation_error` of one field. */
export const invalidField = (path: string, error: string): ServiceError => invalidFields([{ path, error }])

/** The `validation_error` of several fields, at least one. Its message names the first. */
export function invalidFields(details: FieldProblem[]): ServiceError {
  return new ServiceError('validation_error', `${details[0]?.path}: ${details[0]?.error}`, { details })
}
