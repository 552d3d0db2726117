import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { CallEntry } from '@fulfillment/server/procedures/change.ts'
import type { Caller, RequestContext } from '@fulfillment/server/procedures/context.ts'
import type { BatchedStatement } from '@fulfillment/server/database/statements/batched-statement.ts'
import type { Queryable } from '@fulfillment/server/database/database.ts'
import type { Statement } from '@fulfillment/server/database/statements/statement.ts'

type Values = readonly unknown[]

/** The rows that a statement read, by table, including rows that a filter removed. */
export interface Reads {
  rows: Record<string, number>
  /** How often an index of a table was searched, also without finding a row. */
  searches: Record<string, number>
  /** Tables that were read as a whole. */
  whole: string[]
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Index Searches'?: number
  Plans?: PlanNode[]
}

/** The audit entry of a call. */
const ENTRY: CallEntry = {
  at: new Date().toISOString(),
  id: randomUUID(),
  address: '127.0.0.1',
  named: 1,
  write: async () => {},
}

/** Records the statements of domain functions. */
export class Recorder {
  readonly #client: pg.Client
  #recorded: { statement: Statement<Values, unknown>; values: Values }[] = []
  /** Statements whose plan is kept. */
  readonly #planned = new Set<string>()

  constructor(client: pg.Client) {
    this.#client = client
  }

  /**
   * A context in which `caller` calls domain functions. It has only the parts that the explained functions use. With `isAlone`, batched calls run
   * the statement for a call that is alone, and audited.
   */
  contextOf(
    caller: Pick<Caller, 'tenantId' | 'defaultWarehouse' | 'keyName'> & Partial<Pick<Caller, 'scopes'>>,
    { isAlone = false } = {},
  ): RequestContext {
    const run = async (statement: Statement<Values, unknown>, values: Values): Promise<unknown[]> => {
      this.#recorded.push({ statement, values })
      const { rows } = await this.#client.query({ name: statement.name, text: statement.sql, values: [...values] })
      return rows
    }
    const db = {
      run,
      runOne: async (...call: Parameters<typeof run>) => (await run(...call))[0],
      runBatched: ({ statement, valuesOf, alone }: BatchedStatement<unknown, { call: number }>, call: unknown) =>
        isAlone && alone?.isFor(call) === true ? run(alone.statement, alone.valuesOf(call)) : run(statement, valuesOf([call])),
      runFirst: run,
      runLast: run,
      transaction: (work: (tx: unknown) => unknown) => work(db),
      forTenant: () => db,
    }
    const context = { db: db as unknown as Queryable, caller: caller as Caller, requestId: 'test' } as RequestContext
    return isAlone ? { ...context, change: { entry: ENTRY } } : context
  }

  /** Calls a domain function twice, the second time to explain its statements, and rolls both back. */
  async readsOf(call: () => Promise<unknown>): Promise<Reads> {
    await this.#client.query('begin')
    try {
      this.#recorded = []
      await call()
      await this.#client.query('rollback')
      await this.#client.query('begin')
      const reads: Reads = { rows: {}, searches: {}, whole: [] }
      for (const { statement, values } of this.#recorded) addTo(reads, await this.#explain(statement, values))
      return reads
    } finally {
      await this.#client.query('rollback')
    }
  }

  /**
   * Makes Postgres plan what a domain function runs, as the tables are now. `readsOf` then explains these plans: a server keeps its plans too,
   * for as long as nobody analyses the tables.
   */
  async keepPlansOf(call: () => Promise<unknown>): Promise<void> {
    await this.#client.query('begin')
    this.#recorded = []
    // Calls fail where they need a record.
    await call().catch(() => {})
    await this.#client.query('rollback')
    for (const { statement, values } of this.#recorded) {
      if (this.#planned.has(statement.name)) continue
      this.#planned.add(statement.name)
      await this.#client.query(`prepare ${explainedName(statement)} as ${statement.sql}`)
      await this.#client.query(`explain execute ${callOf(statement, values)}`)
    }
  }

  /** Lets Postgres make new plans. */
  async forgetPlans(): Promise<void> {
    for (const name of this.#planned) await this.#client.query(`deallocate ${explainedName({ name })}`)
    this.#planned.clear()
  }

  /** The generic plan, as the server gets it: made without knowledge of the values. */
  async #explain(statement: Statement<Values, unknown>, values: Values): Promise<PlanNode> {
    const isPlanned = this.#planned.has(statement.name)
    if (!isPlanned) await this.#client.query(`prepare ${explainedName(statement)} as ${statement.sql}`)
    const { rows } = await this.#client.query(`explain (analyze, format json) execute ${callOf(statement, values)}`)
    if (!isPlanned) await this.#client.query(`deallocate ${explainedName(statement)}`)
    return (rows as [{ 'QUERY PLAN': [{ Plan: PlanNode }] }])[0]['QUERY PLAN'][0].Plan
  }
}

const explainedName = ({ name }: { name: string }): string => pg.escapeIdentifier(`explain ${name}`)

function callOf(statement: { name: string }, values: Values): string {
  return values.length === 0 ? explainedName(statement) : `${explainedName(statement)}(${values.map(literalOf).join(', ')})`
}

function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((item) => JSON.stringify(item)).join(',')}}`)
  return pg.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value))
}

function addTo(reads: Reads, node: PlanNode): void {
  const relation = node['Relation Name']
  if (relation !== undefined && node['Node Type'].includes('Scan')) {
    const each = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
    reads.rows[relation] = (reads.rows[relation] ?? 0) + Math.round(each * node['Actual Loops'])
    // Postgres tells the sum over all loops.
    reads.searches[relation] = (reads.searches[relation] ?? 0) + (node['Index Searches'] ?? 0)
    if (node['Node Type'] === 'Seq Scan' && node['Actual Loops'] > 0) reads.whole.push(relation)
  }
  for (const child of node.Plans ?? []) addTo(reads, child)
}
