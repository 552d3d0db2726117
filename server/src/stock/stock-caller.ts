import type { Caller } from '../context.ts'

/** What is kept of who changes stock. */
export type StockCaller = Pick<Caller, 'tenantId' | 'defaultWarehouse' | 'keyName'>

/** The group of a batched call: one statement has one tenant and one name for all of its movements. */
export function groupOf({ tenantId, keyName }: StockCaller, kind: string): string {
  return `${tenantId} ${kind} ${keyName}`
}
