import type { Caller } from '../../procedures/context.ts'

/** The caller's fields that stock changes need. */
export type StockCaller = Pick<Caller, 'tenantId' | 'defaultWarehouse' | 'keyName'>

/** The group of a batched call: one statement has one key name for all its movements. */
export function groupOf({ keyName }: Pick<StockCaller, 'keyName'>, kind: string): string {
  return `${kind} ${keyName}`
}
