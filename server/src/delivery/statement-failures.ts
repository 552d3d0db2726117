import type pg from 'pg'
import { isOfStatement, isRetryable } from '../database/errors.ts'

const LOCK_NOT_AVAILABLE = '55P03'
const QUERY_CANCELED = '57014'

/** True when a statement failed because of its input or its amount of work: with a part of the input it may succeed. */
export function isOfItsWork(error: unknown): error is pg.DatabaseError {
  return isOfStatement(error) && !isRetryable(error) && (error as pg.DatabaseError).code !== LOCK_NOT_AVAILABLE
}

/** True when a statement took too long. */
export const isTimeout = (error: pg.DatabaseError): boolean => error.code === QUERY_CANCELED
