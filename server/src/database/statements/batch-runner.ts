import type { Preface } from '../connections/preface.ts'
import type { Transaction, TransactionOptions } from '../connections/queryable.ts'
import type { Statement } from './statement.ts'

/** Sends batches to the database. */
export interface BatchRunner {
  run<Row>(
    tenantId: number,
    statement: Statement<readonly unknown[], Row>,
    values: () => readonly unknown[],
    options?: { preface?: Preface },
  ): Promise<Row[]>
  transaction<T>(tenantId: number, work: (tx: Transaction) => Promise<T>, options: TransactionOptions): Promise<T>
}
