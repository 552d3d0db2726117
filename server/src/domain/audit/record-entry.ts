import { randomUUID } from 'node:crypto'
import type { Transaction } from '../../database/connections/queryable.ts'
import { statement } from '../../database/statements/statement.ts'
import { inputText } from './input-text.ts'
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

const insertEntry = statement<
  [
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
    operatorEmail: string | undefined,
  ],
  never
>({
  name: 'insert_audit_entry',
  lane: 'write',
  sql: `insert into audit_log (tenant_id, at, id, key_id, key_name, address, request_id, operation, input, surface, session_id, operator_email)
   values ($1, date_trunc('milliseconds', now()), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
})

/** Writes an entry in the transaction of the change: both are committed, or neither. */
export async function recordEntry(tx: Transaction, change: AuditedChange): Promise<void> {
  await tx.run(insertEntry, [
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
    change.operatorEmail,
  ])
}
