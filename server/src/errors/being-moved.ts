import { ServiceError } from './service-error.ts'

/** The error of a call that cannot be served while its tenant is moved to another database. Nothing was changed. */
export function beingMoved(cause?: unknown): ServiceError {
  const message = 'The tenant is being moved to another database; try again'
  return new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
}
