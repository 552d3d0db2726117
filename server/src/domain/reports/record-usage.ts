import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'

/** How often a key called an operation since the last record. */
export interface Usage {
  tenantId: number
  keyId: number
  operation: string
  requests: number
  /** 4xx without 429 */
  clientErrors: number
  /** 429 */
  limited: number
  /** 5xx */
  serverErrors: number
}

/** Keeps a statement short. */
const BATCH = 1_000

/** Of the hour in which it is recorded, by the database's clock. Rows are locked in key order, so concurrent server processes do not deadlock. */
const addUsage = statement<
  [
    tenantIds: number[],
    keyIds: number[],
    operations: string[],
    requests: number[],
    clientErrors: number[],
    limited: number[],
    serverErrors: number[],
  ],
  never
>({
  name: 'add_usage',
  connection: 'write',
  sql: `insert into usage_hours as u (tenant_id, at, key_id, operation, requests, client_errors, limited, server_errors)
   select tenant_id, date_trunc('hour', now(), 'UTC'), key_id, operation, requests, client_errors, limited, server_errors
   from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
     c (tenant_id, key_id, operation, requests, client_errors, limited, server_errors)
   order by tenant_id, key_id, operation
   on conflict (tenant_id, at, key_id, operation) do update
   set requests = u.requests + excluded.requests, client_errors = u.client_errors + excluded.client_errors,
     limited = u.limited + excluded.limited, server_errors = u.server_errors + excluded.server_errors`,
})

/** Adds to the counts of this hour. Each entry has another key or operation. */
export async function recordUsage(db: Pick<Queryable, 'run'>, usage: readonly Usage[]): Promise<void> {
  for (let start = 0; start < usage.length; start += BATCH) {
    const batch = usage.slice(start, start + BATCH)
    await db.run(addUsage, [
      batch.map(({ tenantId }) => tenantId),
      batch.map(({ keyId }) => keyId),
      batch.map(({ operation }) => operation),
      batch.map(({ requests }) => requests),
      batch.map(({ clientErrors }) => clientErrors),
      batch.map(({ limited }) => limited),
      batch.map(({ serverErrors }) => serverErrors),
    ])
  }
}
