import type { ConnectionKind } from '../../src/database/statements/statement.ts'
import type { Catalog } from './catalog.ts'
import type { Description } from './describe.ts'
import { descendants } from './node-tree.ts'

/** Volatile functions that neither write nor wait. */
const HARMLESS = new Set([
  'clock_timestamp',
  'pg_current_wal_flush_lsn',
  'pg_current_wal_insert_lsn',
  'pg_is_in_recovery',
  'pg_last_wal_replay_lsn',
  'pg_lock_status',
  'pg_postmaster_start_time',
  'pg_stat_get_activity',
])

/** Fields of a node that contain the oid of the called function. */
const FUNCTION_FIELDS = ['funcid', 'opfuncid', 'aggfnoid', 'winfnoid']

const WRITES_IN_PLAN = new Set(['ModifyTable', 'LockRows'])

/** Why a statement's kind of connection is wrong, according to its plan and the functions that it calls; undefined when it is right. */
export function connectionProblem(connection: ConnectionKind, description: Description, catalog: Catalog): string | undefined {
  const reason = reasonToWrite(description, catalog)
  const isRead = connection === 'read' || connection === 'slow'
  if (isRead && reason !== undefined) return `its connection is '${connection}', but it ${reason}`
  if (!isRead && reason === undefined) return `its connection is '${connection}', but it only reads: declare 'read' or 'slow'`
  return undefined
}

function reasonToWrite({ plan, query }: Description, catalog: Catalog): string | undefined {
  if (plan.length === 0) return 'is a command without a plan'
  const node = plan.find((type) => WRITES_IN_PLAN.has(type))
  if (node !== undefined) return `has ${node} in its plan`
  const called = [...descendants(query)].flatMap((node) => FUNCTION_FIELDS.map((field) => Number(node.fields[field])))
  const volatile = called
    .map((id) => catalog.procedures.get(id))
    .find((procedure) => procedure?.isVolatile === true && !HARMLESS.has(procedure.name))
  return volatile && `calls ${volatile.name}(), which is volatile`
}
