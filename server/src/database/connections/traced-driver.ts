import type {
  AliasNode,
  CompiledQuery,
  DatabaseConnection,
  Driver,
  OperationNode,
  QueryResult,
  RootOperationNode,
  SelectQueryNode,
  TableNode,
  TransactionSettings,
} from 'kysely'
import type { Tracing } from '../../runtime/tracing/index.ts'

/** Creates a span for each query of Kysely, with the time that the query waited for a connection. */
export class TracedDriver implements Driver {
  readonly #driver: Driver
  readonly #tracing: Tracing

  constructor(driver: Driver, tracing: Tracing) {
    this.#driver = driver
    this.#tracing = tracing
  }

  init(): Promise<void> {
    return this.#driver.init()
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const startedAtMs = performance.now()
    const connection = await this.#driver.acquireConnection()
    return new TracedConnection(connection, this.#tracing, performance.now() - startedAtMs)
  }

  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return this.#driver.beginTransaction(untraced(connection), settings)
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#driver.commitTransaction(untraced(connection))
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#driver.rollbackTransaction(untraced(connection))
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    return this.#driver.releaseConnection(untraced(connection))
  }

  destroy(): Promise<void> {
    return this.#driver.destroy()
  }
}

class TracedConnection implements DatabaseConnection {
  readonly connection: DatabaseConnection
  readonly #tracing: Tracing
  readonly #waitedMs: number

  constructor(connection: DatabaseConnection, tracing: Tracing, waitedMs: number) {
    this.connection = connection
    this.#tracing = tracing
    this.#waitedMs = waitedMs
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const span = { name: summaryOf(query.query), waitedMs: this.#waitedMs }
    return this.#tracing.statement(span, () => this.connection.executeQuery<Row>(query))
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.connection.streamQuery(query, chunkSize)
  }
}

const untraced = (connection: DatabaseConnection): DatabaseConnection => (connection as TracedConnection).connection

/** The kind of query and its table, such as `select orders`. */
function summaryOf(query: RootOperationNode): string {
  switch (query.kind) {
    case 'SelectQueryNode':
      return named('select', query.from?.froms[0])
    case 'InsertQueryNode':
      return named('insert', query.into)
    case 'UpdateQueryNode':
      return named('update', query.table)
    case 'DeleteQueryNode':
      return named('delete', query.from.froms[0])
    default:
      return 'statement'
  }
}

function named(operation: string, target: OperationNode | undefined): string {
  const table = tableOf(target)
  return table === undefined ? operation : `${operation} ${table}`
}

/** The table itself, or the first table of a subquery. */
function tableOf(target: OperationNode | undefined): string | undefined {
  switch (target?.kind) {
    case 'TableNode':
      return (target as TableNode).table.identifier.name
    case 'AliasNode':
      return tableOf((target as AliasNode).node)
    case 'SelectQueryNode':
      return tableOf((target as SelectQueryNode).from?.froms[0])
    default:
      return undefined
  }
}
