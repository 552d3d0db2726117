import { randomUUID } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import type { Transaction } from '../../database/connections/queryable.ts'
import { recordEntry } from './record-entry.ts'

/** Key id of entries from the command line. Ids of API keys begin at 1. */
const NO_KEY = 0

/** A command that changes data of a tenant. */
export interface AuditedCommand {
  tenantId: number
  /** `keys revoke` */
  command: string
  /** The `operationId` of the same operation over HTTP, if any. */
  operation: string
  input: unknown
}

/** Writes a command to the audit log of its tenant, in the transaction of the change: both are committed, or neither. */
export async function recordCommand(tx: Transaction, { tenantId, command, operation, input }: AuditedCommand): Promise<void> {
  const name = `fulfillment ${command}`
  const address = `${userName()}@${hostname()}`
  const actor = { keyId: NO_KEY, keyName: name, address, requestId: randomUUID(), surface: 'api', sessionId: null } as const
  await recordEntry(tx, { ...actor, tenantId, operation, input })
}

/** Containers can run under a user id without a name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.()}`
  }
}
