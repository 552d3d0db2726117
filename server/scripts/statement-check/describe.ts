import pg from 'pg'
import { descendants, parseTree, type TreeNode } from './node-tree.ts'

/** Postgres's description of a statement. */
export interface Description {
  /** Type numbers of the parameters. */
  parameters: readonly number[]
  columns: readonly { name: string; type: number }[]
  /** The analysed query. */
  query: TreeNode
  /** Node types of the plan; empty for a command without a plan, such as `begin`. */
  plan: readonly string[]
}

/** Opens a connection with the service's planner settings. For each query that it analyses, Postgres prints the query tree. */
export async function connectDescriber(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, options: '-c timezone=UTC -c plan_cache_mode=force_generic_plan' })
  await client.connect()
  await client.query('set debug_print_rewritten = on; set debug_pretty_print = off; set client_min_messages = log')
  return client
}

/** Lets Postgres analyse and plan a statement, without running it. */
export async function describe(client: pg.Client, sql: string): Promise<Description> {
  const { parameters, columns, query } = await analyse(client, sql)
  return { parameters, columns, query, plan: await planOf(client, sql, query) }
}

const UTILITY = '6'

async function analyse(client: pg.Client, sql: string): Promise<Omit<Description, 'plan'>> {
  const printed: string[] = []
  const listen = (notice: { message?: string; detail?: string }): void => {
    if (notice.message?.startsWith('rewritten parse tree') === true) printed.push(notice.detail ?? '')
  }
  client.on('notice', listen)
  try {
    const { parameters, columns } = await describeParsed(client, sql)
    const [query] = descendants(parseTree(printed.at(-1) ?? '()'))
    if (query === undefined) throw new Error('Postgres printed no query tree')
    return { parameters, columns, query }
  } finally {
    client.off('notice', listen as never)
  }
}

/** The extended protocol's Parse and Describe. */
function describeParsed(client: pg.Client, sql: string): Promise<Pick<Description, 'parameters' | 'columns'>> {
  return new Promise((resolve, reject) => {
    const { connection } = client
    let parameters: number[] = []
    let columns: Description['columns'] = []
    const submittable = {
      submit: () => {
        connection.on('parameterDescription', hear)
        connection.parse({ name: '', text: sql, types: [] }, true)
        connection.describe({ type: 'S', name: '' }, true)
        connection.sync()
      },
      handleRowDescription: ({ fields }: { fields: pg.FieldDef[] }) => {
        columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }))
      },
      handleReadyForQuery: () => end(() => resolve({ parameters, columns })),
      handleError: (error: Error) => end(() => reject(error)),
    }
    const hear = ({ dataTypeIDs }: { dataTypeIDs: number[] }): void => {
      parameters = dataTypeIDs
    }
    const end = (settle: () => void): void => {
      connection.off('parameterDescription', hear)
      settle()
    }
    client.query(submittable as never)
  })
}

async function planOf(client: pg.Client, sql: string, query: TreeNode): Promise<string[]> {
  if (query.fields['commandType'] === UTILITY) return []
  const { rows } = await client.query(`explain (generic_plan, format json) ${sql}`)
  return [...nodeTypes((rows as [{ 'QUERY PLAN': [{ Plan: PlanNode }] }])[0]['QUERY PLAN'][0].Plan)]
}

interface PlanNode {
  'Node Type': string
  Plans?: PlanNode[]
}

function* nodeTypes(plan: PlanNode): Generator<string> {
  yield plan['Node Type']
  for (const child of plan.Plans ?? []) yield* nodeTypes(child)
}
