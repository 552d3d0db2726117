import { randomUUID } from 'node:crypto'
import type { Transaction } from '../../database/connections/queryable.ts'
import { statement } from '../../database/statements/statement.ts'
import { inputText } from './input-text.ts'
import { type EntryRow, insertEntry } from './insert-entries.ts'
import type { Surface } from './schemas.ts'

/** A change that is no call of an endpoint: a command, or a sign-in. */
export interface AuditedChange {
  tenantId: number
  keyId: number
  keyName: string
  address: string
  requestId: string
  operation: string
  input: unknown
  surface: Surface
  sessionId: number | null
  operatorEmail?: string
}

const insertChange = statement<EntryRow, never>({ name: 'insert_audit_entry', connection: 'write', sql: insertEntry('now()') })

/** Writes an entry in the transaction of the change: both are committed, or neither. */
export async function recordEntry(tx: Transaction, change: AuditedChange): Promise<void> {
  await tx.run(insertChange, [
    change.tenantId,
    randomUUID(),
    change.keyId,
    change.keyName,
    change.address,
    change.requestId,
    change.operation,
    inputText(change.input),
    change.surface,
    change.sessionId,
    change.operatorEmail ?? null,
  ])
}
