import { expect, it } from 'vitest'
import pg from 'pg'
import { DatabaseConnectionError } from '@fulfillment/server/database/errors.ts'
import { failureOf } from '@fulfillment/server/procedures/failure.ts'

const postgresError = (code: string): Error =>
  Object.assign(new pg.DatabaseError('in the words of Postgres', 0, 'error'), { code })

const LOST = 'The database cannot be reached at the moment; try again'
const TOO_SLOW = 'The call took longer than the database permits; ask for less, or try again'
const OTHER = 'The database could not carry out the call at the moment; try again'

it.each([
  ['a lost connection', new DatabaseConnectionError(), LOST],
  ['a database that is shutting down', postgresError('57P01'), LOST],
  ['a database that is starting', postgresError('57P03'), LOST],
  ['a statement that took too long', postgresError('57014'), TOO_SLOW],
  ['a lock that took too long', postgresError('55P03'), TOO_SLOW],
  ['a serialization failure', postgresError('40001'), OTHER],
  ['a deadlock', postgresError('40P01'), OTHER],
  ['too many connections', postgresError('53300'), OTHER],
  ['a full disk', postgresError('53100'), OTHER],
  ['a database that takes no writes', postgresError('25006'), OTHER],
])('%s is 503, and the message says what it was', (_, error, message) => {
  expect(failureOf(error, { requestId: '1' })).toMatchObject({ errorCode: 'service_unavailable', message, retryAfterSeconds: 1 })
})
