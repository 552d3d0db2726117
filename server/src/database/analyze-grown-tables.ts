import { sql } from 'kysely'
import type { Queryable } from './database.ts'
import { statement } from './statements/statement.ts'

/** Below this, every plan is quick. */
const ROWS = 400
/** A table is analyzed again when it has this many times the rows of its last analysis. */
const GROWTH = 4

/** Tables that the service may analyze. Before the first analysis, `reltuples` is -1. */
const selectGrown = statement<[rows: number, growth: number], { name: string }>({
  name: 'select_grown_tables',
  connection: 'slow',
  sql: `select c.oid::regclass::text as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
   where s.schemaname = current_schema() and pg_has_role(c.relowner, 'usage')
     and s.n_live_tup >= greatest($1::float8, $2::float8 * c.reltuples)
   order by 1`,
})

/**
 * Analyzes tables that have grown several times since their last analysis. Autovacuum looks at a database once a minute; until then, plans
 * made on an empty table stay in use. On an empty table all indexes cost the same, so such a plan may read all products of a tenant to find
 * one: an import of 50,000 products took 100 seconds. Postgres discards the plans of a table that is analyzed. Any number of processes may
 * call this at the same time: tables that another one analyzes are skipped.
 */
export async function analyzeGrownTables(db: Queryable): Promise<void> {
  for (const { name } of await db.run(selectGrown, [ROWS, GROWTH])) {
    // Takes no parameters and is not prepared.
    await sql.raw(`analyze (skip_locked) ${name}`).execute(db.kysely)
  }
}
