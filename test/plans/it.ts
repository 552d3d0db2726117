import pg from 'pg'
import { it as base } from '../support/it.ts'
import { Recorder } from './explain.ts'

/** The values that the service gets: `database.ts` has these parsers for its own connections. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)
types.setTypeParser(pg.types.builtins.NUMERIC, Number)
types.setTypeParser(pg.types.builtins.DATE, (text: string) => text)

/** `it` with `client`, a connection with the service's planner settings, and `recorder`, which explains calls on it. One per test file. */
export const it = base
  .extend('client', { scope: 'file' }, async ({ database }, { onCleanup }) => {
    const options = '-c timezone=UTC -c plan_cache_mode=force_generic_plan'
    const client = new pg.Client({ connectionString: database.url, options, types })
    await client.connect()
    onCleanup(() => client.end())
    return client
  })
  .extend('recorder', { scope: 'file' }, ({ client }) => new Recorder(client))
