import { storedFor } from '../../database/keyed-calls/key-rows.ts'

const COLUMNS = 'tenant_id, at, id, key_id, key_name, address, request_id, operation, input, surface, session_id, operator_email'

/** The values of `insertEntry`. */
export type EntryRow = [
  tenantId: number,
  id: string,
  keyId: number,
  keyName: string,
  address: string,
  requestId: string,
  operation: string,
  input: string,
  surface: string,
  sessionId: number | null,
  operatorEmail: string | null,
]

/** SQL that inserts one audit entry, up to `where`. `at` is an expression of its time. */
export const insertEntry = (at: 'now()' | 'clock_timestamp()'): string =>
  `insert into audit_log (${COLUMNS})
     select $1::bigint, date_trunc('milliseconds', ${at}), $2::uuid, $3::bigint, $4::text, $5::text, $6::text, $7::text, $8::json, $9::text,
       $10::bigint, $11::text`

/** The values of `INSERT_ENTRIES`: each list has one for every entry. */
export type EntryValues = [
  tenantIds: number[],
  ids: string[],
  keyIds: number[],
  keyNames: string[],
  addresses: string[],
  requestIds: string[],
  operations: string[],
  inputs: string[],
  surfaces: string[],
  sessionIds: (number | null)[],
  operatorEmails: (string | null)[],
  idempotencyKeys: (string | null)[],
]

/** SQL that inserts audit entries, up to `returning`. A call whose `Idempotency-Key` has a stored response gets none. */
export const INSERT_ENTRIES = `insert into audit_log (${COLUMNS})
   select e.tenant_id, date_trunc('milliseconds', clock_timestamp()), e.id, e.key_id, e.key_name, e.address, e.request_id, e.operation, e.input,
     e.surface, e.session_id, e.operator_email
   from unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::json[], $9::text[], $10::bigint[],
     $11::text[], $12::text[])
     e (tenant_id, id, key_id, key_name, address, request_id, operation, input, surface, session_id, operator_email, idempotency_key)
   where e.idempotency_key is null or ${storedFor('e.tenant_id', 'e.idempotency_key')} is null`
