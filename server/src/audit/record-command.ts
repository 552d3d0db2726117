import { randomUUID } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import type { Transaction } from '../database/queryable.ts'
import { statement } from '../database/statement.ts'
import { inputText } from './input-text.ts'

/** Stands for the API key in entries of the command line, which has none. Ids of keys begin at 1. */
const NO_KEY = 0

/** A command that changes something of a tenant. */
export interface AuditedCommand {
  tenantId: number
  /** `keys revoke` */
  command: string
  /** The `operationId` that does the same over HTTP, where there is one. */
  operation: string
  input: unknown
}

const insertCommand = statement<
  [
    tenantId: number,
    id: string,
    keyId: number,
    keyName: string,
    address: string,
    requestId: string,
    operation: string,
    input: string,
  ],
  never
>(
  'insert_audited_command',
  `insert into audit_log (tenant_id, at, id, key_id, key_name, address, request_id, operation, input)
   values ($1, now(), $2, $3, $4, $5, $6, $7, $8)`,
)

/** Writes a command into the audit log of its tenant. In the transaction of the change, so that neither is there without the other. */
export async function recordCommand(tx: Transaction, { tenantId, command, operation, input }: AuditedCommand): Promise<void> {
  const name = `fulfillment ${command}`
  const address = `${userName()}@${hostname()}`
  await tx.run(insertCommand, [tenantId, randomUUID(), NO_KEY, name, address, randomUUID(), operation, inputText(input)])
}

/** Containers run under ids that no name belongs to. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.()}`
  }
}
