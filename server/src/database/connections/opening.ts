import pg from 'pg'
import { activeTracing } from '../../runtime/tracing/index.ts'
import { queryOf, type Statement } from '../statements/statement.ts'

type AnyStatement = Statement<readonly unknown[], unknown>

/** A statement and its values. */
export interface Step {
  statement: AnyStatement
  values: readonly unknown[]
}

/** Prepared too, so that it can be sent together with prepared statements. */
export const BEGIN = { name: 'begin', text: 'begin' }

/** What the driver's types leave out: the texts of the statements that the connection has prepared, by name. */
interface PreparedStatements {
  parsedStatements?: Readonly<Record<string, string>>
}

/**
 * Begins a transaction and runs two statements as one message to Postgres, which runs none of what follows a failure. Sent as three queries, the
 * second statement would be a transaction of its own if `begin` failed, and would run although the first one failed.
 *
 * Undefined, and nothing is sent, unless the connection has prepared all three; while calls are traced, because each statement has a span; and
 * for values that only the driver can convert.
 */
export function open(client: pg.PoolClient, guard: Step, change: Step): Promise<unknown[]> | undefined {
  const steps = [BEGIN, ...[guard, change].map(({ statement, values }) => queryOf(statement, values))]
  const { parsedStatements } = client.connection as PreparedStatements
  const isPrepared = steps.every(({ name = '', text }) => parsedStatements?.[name] === text)
  if (!isPrepared || activeTracing() !== undefined || !steps.every(isPlain)) return undefined
  return (client.query(new Opening(steps) as never) as unknown as Promise<pg.QueryResult[]>).then(
    (results) => results.at(-1)?.rows ?? [],
  )
}

/** Prepared statements with one Sync message behind the last one. Postgres skips to it when one of them fails. */
class Opening extends pg.Query {
  constructor(steps: readonly pg.QueryConfig[]) {
    super({ text: '' })
    this.submit = (connection) => {
      connection.stream.cork()
      for (const [index, { name, values }] of steps.entries()) {
        connection.bind({ statement: name as string, values: values as never, valueMapper: textOf }, true)
        if (index === steps.length - 1) connection.describe({ type: 'P', name: '' }, true)
        connection.execute(null, true)
      }
      connection.sync()
      connection.stream.uncork()
    }
  }
}

type Plain = string | number | boolean | null | undefined

const isPlain = ({ values = [] }: pg.QueryConfig): boolean =>
  values.every((value) => value === null || ['string', 'number', 'boolean', 'undefined'].includes(typeof value))

const textOf = (value: Plain): string | null => (value === null || value === undefined ? null : String(value))
