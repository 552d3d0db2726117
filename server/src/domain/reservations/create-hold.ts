import type { z } from 'zod'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { warehouseNotFound } from '../locations/index.ts'
import { type Content, findProducts, type FoundProduct, hashOf, quantitiesOf, sentName } from '../records/index.ts'
import { KEEPS_HOLDS } from '../reservation-core/index.ts'
import { fillHold } from './fill-hold.ts'
import { requireHeld } from './hold-products.ts'
import { readHold } from './read-hold.ts'
import { requireReserving } from './require-reserving.ts'
import { createHoldInput, hold, type Hold } from './schemas.ts'

type Input = z.infer<typeof createHoldInput>

const DEFAULT_TTL_SECONDS = 900

/** The active hold with a reference. One that has expired makes room for a new one. */
const findActive = statement<
  [tenantId: number, reference: string, sent: Buffer, meant: Buffer],
  { id: number; is_same: boolean }
>({
  name: 'find_active_hold',
  connection: 'write',
  sql: `with expired as (
     update holds set state = 'expired' where tenant_id = $1 and reference = $2 and state = 'active' and expires_at <= clock_timestamp()
   )
   select id, coalesce(sent_hash = $3, false) or content_hash = $4 as is_same from holds
   where tenant_id = $1 and reference = $2 and state = 'active' and expires_at > clock_timestamp() and ${KEEPS_HOLDS}`,
})

const insertHold = statement<
  [tenantId: number, reference: string, sent: Buffer, meant: Buffer, warehouseId: number, ttlSeconds: number, createdBy: string],
  { id: number }
>({
  name: 'insert_hold',
  connection: 'write',
  sql: `insert into holds (tenant_id, reference, sent_hash, content_hash, warehouse_id, expires_at, created_by)
   select $1, $2, $3, $4, w.id, clock_timestamp() + make_interval(secs => $6::int), $7 from warehouses w where w.tenant_id = $1 and w.id = $5
   on conflict (tenant_id, reference) where state = 'active' do nothing
   returning id`,
})

const findWarehouse = statement<[tenantId: number, warehouseId: number], { id: number }>({
  name: 'find_warehouse_of_hold',
  connection: 'read',
  sql: 'select id from warehouses where tenant_id = $1 and id = $2',
})

/**
 * Keeps stock for a cart, all lines in full or nothing. Throws `validation_error`, `idempotency_conflict`, `hold_error` and
 * `insufficient_stock`.
 */
export const createHold = endpoint({
  name: 'holds.create',
  scope: 'write:orders',
  method: 'POST',
  path: '/holds',
  summary: 'Keep stock for a cart',
  description: `Keeps stock until the hold expires, is released, or is taken over by an order that names its \`reference\` as \`hold\`. Returns \`insufficient_stock\` unless all lines can be kept in full. Needs a reservation policy other than \`off\`.

Sending the same hold again while it is active changes nothing and returns its current state. Different content with the same \`reference\` is an \`idempotency_conflict\`.`,
  errors: ['insufficient_stock', 'hold_error'],
  isAddition: true,
  input: createHoldInput,
  output: hold,
  run: ({ caller, db }, input) => db.transaction((tx) => create(tx, caller, input), { rows: input.lines.length }),
})

async function create(tx: Queryable, caller: RequestContext['caller'], input: Input): Promise<Hold> {
  const { tenantId, keyName } = caller
  const { reference, lines } = input
  const warehouseId = input.warehouse_id ?? caller.defaultWarehouse.id
  const ttlSeconds = input.ttl_seconds ?? DEFAULT_TTL_SECONDS
  const found = await findProducts(tx, tenantId, lines)
  const content = contentOf(input, { ttlSeconds, warehouseId, found })
  const earlier = await findEarlier(tx, tenantId, reference, content)
  if (earlier !== undefined) return readHold(tx, tenantId, earlier)
  await requireWarehouse(tx, tenantId, warehouseId)
  const products = requireHeld(lines, found)
  const { sent, meant } = content
  for (;;) {
    // In each turn: holds of before reserving was turned off have their references until they are removed, which waits for this transaction.
    await requireReserving(tx, tenantId)
    const inserted = await tx.runOne(insertHold, [tenantId, reference, sent, meant, warehouseId, ttlSeconds, keyName])
    if (inserted !== undefined) {
      await fillHold(tx, { tenantId, id: inserted.id, warehouseId }, products)
      return readHold(tx, tenantId, inserted.id)
    }
    // A parallel call has made it: the insert has waited for its end. If that hold is over already, its reference is free again.
    const parallel = await findEarlier(tx, tenantId, reference, content)
    if (parallel !== undefined) return readHold(tx, tenantId, parallel)
    // Or the warehouse is gone: without it, nothing is ever inserted.
    await requireWarehouse(tx, tenantId, warehouseId)
  }
}

/** The id of the active hold with this reference and content, if any. Throws `idempotency_conflict` if its content is another. */
async function findEarlier(
  tx: Queryable,
  tenantId: number,
  reference: string,
  { sent, meant }: Content,
): Promise<number | undefined> {
  const found = await tx.runOne(findActive, [tenantId, reference, sent, meant])
  if (found?.is_same === false)
    throw new ServiceError(
      'idempotency_conflict',
      `The reference "${reference}" belongs to an active hold with different content: use another reference`,
    )
  return found?.id
}

interface Meant {
  ttlSeconds: number
  warehouseId: number
  found: readonly FoundProduct[]
}

function contentOf(input: Input, { ttlSeconds, warehouseId, found }: Meant): Content {
  const { lines } = input
  const quantities = quantitiesOf(lines, found)
  return {
    sent: hashOf([
      input.ttl_seconds ?? null,
      input.warehouse_id ?? null,
      lines.map((line) => [sentName(line), line.quantity ?? null]),
    ]),
    meant: hashOf([ttlSeconds, warehouseId, lines.map((_, index) => [found[index]?.id, quantities[index]])]),
  }
}

async function requireWarehouse(tx: Queryable, tenantId: number, warehouseId: number): Promise<void> {
  if ((await tx.run(findWarehouse, [tenantId, warehouseId])).length === 0) throw warehouseNotFound()
}
