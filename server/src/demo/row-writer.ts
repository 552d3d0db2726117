import { sql } from 'kysely'
import type { Transaction } from '../database/database.ts'

const ROWS_AT_ONCE = 5_000

/** Writes many rows of a tenant, with ids taken from the sequences of their tables. */
export class RowWriter {
  readonly #tx: Transaction
  readonly #tenantId: number

  constructor(tx: Transaction, tenantId: number) {
    this.#tx = tx
    this.#tenantId = tenantId
  }

  /** Ids that nobody else gets, ascending. */
  async takeIds(table: string, count: number): Promise<number[]> {
    const { rows } = await sql<{ id: number }>`
      select nextval(pg_get_serial_sequence(${table}, 'id')) as id from generate_series(1, ${count}::int)`.execute(
      this.#tx.kysely,
    )
    return rows.map(({ id }) => id).toSorted((a, b) => a - b)
  }

  async defaultWarehouse(): Promise<number> {
    const { id } = await this.#tx.kysely
      .selectFrom('warehouses')
      .select('id')
      .where('tenant_id', '=', this.#tenantId)
      .where('is_default', '=', true)
      .executeTakeFirstOrThrow()
    return id
  }

  /** Writes rows, all with the same columns. Postgres reads their values as the types of the columns. */
  async insert(table: string, rows: readonly object[]): Promise<void> {
    for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
      const piece = rows.slice(first, first + ROWS_AT_ONCE)
      const columns = sql.join(Object.keys(piece[0] ?? {}).map((name) => sql.ref(name)))
      await sql`insert into ${sql.table(table)} (tenant_id, ${columns}) overriding system value
        select ${this.#tenantId}::bigint, ${columns} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(piece)}::json)`.execute(
        this.#tx.kysely,
      )
    }
  }
}
