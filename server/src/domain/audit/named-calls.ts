import type { Database, Queryable } from '../../database/database.ts'
import { batchedDeletion, deleteInBatches } from '../../database/delete-in-batches.ts'
import { storedFor } from '../../database/keyed-calls/key-rows.ts'
import { AUDIT_DAYS_KEPT } from '../../database/retention.ts'
import { statement } from '../../database/statements/statement.ts'
import type { WrittenEntry } from './audited-call.ts'
import { decidedName } from './named-records.ts'
import { type EntryValues, INSERT_ENTRIES } from './insert-entries.ts'

/** A call that failed, with the code of its error. */
export type FailedCall = WrittenEntry & { error: string }

/** Inserts audit entries, and a row in `order_calls` for each order, or record of an order, that a call names. */
export const insertNamedEntries = statement<[...EntryValues, entryIds: string[], names: string[]], { id: string; at: string }>({
  name: 'insert_named_audit_entries',
  connection: 'unsynced',
  sql: `with entry as (
     ${INSERT_ENTRIES} returning tenant_id, at, id, operation, key_name, address, request_id
   ), named_call as (
     insert into order_calls (tenant_id, name, at, id, operation, key_name, address, request_id)
     select e.tenant_id, ${decidedName('e.tenant_id', 'n.name')}, e.at, e.id, e.operation, e.key_name, e.address, e.request_id
     from unnest($13::uuid[], $14::text[]) n (id, name) join entry e using (id)
   )
   select id, at from entry`,
})

/** Also for calls that have no row yet, because the change would have written it. */
const addFailures = statement<
  [
    tenantIds: number[],
    names: string[],
    at: string[],
    ids: string[],
    operations: string[],
    keyNames: string[],
    addresses: string[],
    requestIds: string[],
    errors: string[],
    idempotencyKeys: (string | null)[],
  ],
  never
>({
  name: 'name_failed_calls',
  connection: 'write',
  sql: `insert into order_calls (tenant_id, name, at, id, operation, key_name, address, request_id, error)
   select f.tenant_id, ${decidedName('f.tenant_id', 'f.name')}, f.at, f.id, f.operation, f.key_name, f.address, f.request_id, f.error
   from unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
     f (tenant_id, name, at, id, operation, key_name, address, request_id, error, idempotency_key)
   where f.idempotency_key is null or f.error not in ('service_unavailable', 'internal_error')
     or ${storedFor('f.tenant_id', 'f.idempotency_key')} is null
   order by 1, 2, 3, 4
   on conflict (tenant_id, name, at, id) do update set error = excluded.error`,
})

/** Records the errors of failed calls where the timeline of an order finds the calls. */
export async function nameFailedCalls(db: Pick<Database, 'run'>, failures: readonly FailedCall[]): Promise<void> {
  const named = failures.flatMap(({ names, ...failure }) => names.map((name) => ({ ...failure, name })))
  if (named.length === 0) return
  await db.run(addFailures, [
    named.map(({ call }) => call.caller.tenantId),
    named.map(({ name }) => name),
    named.map(({ at }) => at),
    named.map(({ id }) => id),
    named.map(({ call }) => call.operation),
    named.map(({ call }) => call.caller.keyName),
    named.map(({ call }) => call.address),
    named.map(({ call }) => call.requestId),
    named.map(({ error }) => error),
    named.map(({ call }) => call.idempotencyKey ?? null),
  ])
}

const OLD = batchedDeletion(
  'remove_old_order_calls',
  'order_calls',
  `order_calls where at < now() - interval '${AUDIT_DAYS_KEPT} days' order by at`,
  5_000,
)

/** Deletes what is older than the audit log. */
export async function removeOldCalls(db: Queryable, stopping: AbortSignal): Promise<void> {
  await deleteInBatches(db, OLD, stopping)
}
