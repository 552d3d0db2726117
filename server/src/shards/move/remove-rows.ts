import { fenced, type Move, type Side } from './side.ts'
import { leavesOf, type TenantTable } from './tables.ts'

/** Keeps a transaction short. */
const BATCH = 5_000

/** Deletes all rows of the tenant and its sandbox from a database, the tenant itself last. Returns their number. */
export async function removeRows(
  move: Move,
  side: Side,
  tables: readonly TenantTable[],
  onRemoved: (total: number) => void = () => {},
): Promise<number> {
  let total = 0
  for (const { name } of tables) {
    for (const leaf of await leavesOf(side, name)) {
      for (let removed = BATCH; removed === BATCH; onRemoved((total += removed))) removed = await removeSome(move, side, leaf)
    }
  }
  await fenced(move, side, () => side.client.query('delete from tenants where id = any ($1::bigint[])', [move.ids]))
  return total
}

async function removeSome(move: Move, side: Side, leaf: string): Promise<number> {
  const { rowCount } = await fenced(move, side, () =>
    side.client.query(
      `delete from ${leaf} where ctid = any (array(select ctid from ${leaf} where tenant_id = any ($1::bigint[]) limit ${BATCH}))`,
      [move.ids],
    ),
  )
  return rowCount ?? 0
}
