import pg from 'pg'
import type { Caller, RequestContext } from '../../server/src/context.ts'
import type { BatchedStatement } from '../../server/src/database/batched-statement.ts'
import type { Queryable } from '../../server/src/database/database.ts'
import type { Statement } from '../../server/src/database/statement.ts'

type Values = readonly unknown[]

/** What a statement did to the tables: the rows that it looked at, also those that it then left out, by table. */
export interface Reads {
  rows: Record<string, number>
  /** Tables that were read from beginning to end. */
  whole: string[]
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

/** Remembers what the domain functions run on it. */
export class Recorder {
  readonly #client: pg.Client
  #recorded: { statement: Statement<Values, unknown>; values: Values }[] = []

  constructor(client: pg.Client) {
    this.#client = client
  }

  /** A context in which `caller` calls domain functions; the requests' other parts are not looked at by what is explained here. */
  contextOf(caller: Pick<Caller, 'tenantId' | 'defaultWarehouse' | 'keyName'>): RequestContext {
    const run = async (statement: Statement<Values, unknown>, values: Values): Promise<unknown[]> => {
      this.#recorded.push({ statement, values })
      const { rows } = await this.#client.query({ name: statement.name, text: statement.text, values: [...values] })
      return rows
    }
    const db = {
      run,
      runOne: async (...call: Parameters<typeof run>) => (await run(...call))[0],
      runBatched: (batched: BatchedStatement<unknown, { call: number }>, call: unknown) =>
        run(batched.statement, batched.valuesOf([call])),
      runApart: run,
      runFirst: run,
      runLast: run,
      transaction: (work: (tx: unknown) => unknown) => work(db),
    }
    return { db: db as unknown as Queryable, caller: caller as Caller } as RequestContext
  }

  /** Calls a domain function twice, the second time to explain what it runs, and undoes both. */
  async readsOf(call: () => Promise<unknown>): Promise<Reads> {
    await this.#client.query('begin')
    try {
      this.#recorded = []
      await call()
      await this.#client.query('rollback')
      await this.#client.query('begin')
      const reads: Reads = { rows: {}, whole: [] }
      for (const { statement, values } of this.#recorded) addTo(reads, await this.#explain(statement, values))
      return reads
    } finally {
      await this.#client.query('rollback')
    }
  }

  /** The plan that the server gets too: the generic one, made without looking at the values. */
  async #explain({ name, text }: Statement<Values, unknown>, values: Values): Promise<PlanNode> {
    const explained = pg.escapeIdentifier(`explain ${name}`)
    await this.#client.query(`prepare ${explained} as ${text}`)
    const { rows } = await this.#client.query(
      `explain (analyze, format json) execute ${explained}(${values.map(literalOf).join(', ')})`,
    )
    await this.#client.query(`deallocate ${explained}`)
    return (rows as [{ 'QUERY PLAN': [{ Plan: PlanNode }] }])[0]['QUERY PLAN'][0].Plan
  }
}

function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((item) => JSON.stringify(item)).join(',')}}`)
  return pg.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value))
}

function addTo(reads: Reads, node: PlanNode): void {
  const relation = node['Relation Name']
  if (relation !== undefined && node['Node Type'].includes('Scan')) {
    const each = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
    reads.rows[relation] = (reads.rows[relation] ?? 0) + Math.round(each * node['Actual Loops'])
    if (node['Node Type'] === 'Seq Scan' && node['Actual Loops'] > 0) reads.whole.push(relation)
  }
  for (const child of node.Plans ?? []) addTo(reads, child)
}
