import type { Statement } from '../../database/statements/statement.ts'
import type { RequestContext } from '../../procedures/context.ts'

/** Products at more locations are read on a `slow` connection: on the shared ones they would hold up other requests. */
const FEW_LEVELS = 100

/** Two statements that read a product and its levels. */
interface ProductStatements<Values extends readonly unknown[], Row> {
  /** Reads at most `FEW_LEVELS` levels and one more. */
  few: Statement<Values, Row>
  all: Statement<Values, Row>
}

/** Subqueries of the levels of the product `p`, ordered by location, for the two statements. `$1` is the tenant. */
export const LEVELS = { few: levels(`${FEW_LEVELS + 1}`), all: levels('all') }

function levels(limit: string): string {
  return `(select location_id, quantity from stock_levels where tenant_id = $1 and product_id = p.id order by location_id limit ${limit})`
}

/** Finds a product with its stock. */
export async function productWithStock<Values extends readonly unknown[], Row extends { stock: readonly unknown[] }>(
  { db }: RequestContext,
  { few, all }: ProductStatements<Values, Row>,
  values: Values,
): Promise<Row | undefined> {
  const product = await db.runOne(few, values)
  return product === undefined || product.stock.length <= FEW_LEVELS ? product : db.runOne(all, values)
}
