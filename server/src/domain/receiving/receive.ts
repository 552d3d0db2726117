import { randomUUID } from 'node:crypto'
import type { BatchedStatement } from '../../database/statements/batched-statement.ts'
import { statement, type StatementRunner } from '../../database/statements/statement.ts'
import { invalidField } from '../../errors/invalid-field.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { isGiven } from '../../procedures/fields/fields.ts'
import { resolveName, sentName } from '../records/index.ts'
import { groupOf, type StockCaller } from '../stock/index.ts'
import type { ReceivingKind } from './kind.ts'
import { receiveAlone } from './receive-alone.ts'
import { receiveTogether } from './receive-together.ts'
import type { Made, Received, ReceiveValues } from './receive-values.ts'
import { recordNotFound } from './read-record.ts'
import { MAX_LINES, type NewReceipt } from './schemas.ts'

interface Receiving {
  caller: StockCaller
  input: NewReceipt
  /** What named the goods, when their barcode was resolved. */
  sentName?: string
}

/** Receives goods: returns the texts of the receipt and its record, or throws why it is refused. */
type Receive = (context: RequestContext, input: NewReceipt) => Promise<{ receipt: string; record: string }>

/** The function that receives goods of a kind. */
export function receivingOf(kind: ReceivingKind): Receive {
  const receipts = receiptsOfKind(kind)
  return async ({ db, caller }, input) => {
    const [result] = await db.runBatched(receipts, { caller, input })
    if (result === undefined) throw recordNotFound(kind)
    if ('is_same' in result && result.is_same === false)
      throw new ServiceError(
        'idempotency_conflict',
        `The receipt_id "${input.receipt_id}" belongs to another receipt: use another receipt_id`,
      )
    const { receipt, record } = result
    if (receipt === null || record === null) throw refused(kind, result as Received, input)
    // The lines of a receipt are as Postgres writes jsonb.
    return { receipt: 'is_same' in result ? JSON.stringify(JSON.parse(receipt)) : receipt, record }
  }
}

/** Receipts of one statement are of different records and, as far as their input tells, products. */
function receiptsOfKind(kind: ReceivingKind): BatchedStatement<Receiving, Made | Received, ReceiveValues> {
  const lock = statement<[tenantId: number, recordId: number], { id: number }>({
    name: `lock_${kind.name}_to_receive`,
    connection: 'write',
    sql: `with before as materialized (
     ${kind.receive.lockBefore ?? 'select $2::bigint as id'}
   )
   -- Always true: has what comes before locked before the record.
   select id from ${kind.tables.records} where tenant_id = $1 and id = $2 and (select count(*) from before) >= 0 for no key update`,
  })
  return {
    statement: receiveTogether(kind),
    valuesOf,
    groupOf: ({ caller }) => groupOf(caller, kind.name),
    changedBy: ({ input }) => [`record ${input.id}`, `product ${nameOfGoods(input)}`],
    sizeOf: () => 1,
    isSlowToStart: true,
    secondRun: {
      isNeeded: ([row]) => row?.receipt === null,
      lock: ({ caller, input }) => ({ statement: lock, values: [caller.tenantId, input.id] }),
      prepare: resolved,
      instead: { statement: receiveAlone(kind), valuesOf },
    },
  }
}

/** The receipt with the product that its barcode names, and the quantity that it carries. */
async function resolved(db: StatementRunner, receiving: Receiving): Promise<Receiving> {
  const { caller, input } = receiving
  if (!isGiven(input.barcode)) return receiving
  return { ...receiving, input: await resolveName(db, caller.tenantId, input), sentName: nameOfGoods(input) }
}

function valuesOf(calls: readonly Receiving[]): ReceiveValues {
  const of = <Value>(value: (input: NewReceipt) => Value): Value[] => calls.map(({ input }) => value(input))
  return [
    calls[0]?.caller.tenantId,
    of(({ id }) => id),
    of(({ product_id: product }) => product ?? null),
    of(({ sku }) => sku ?? null),
    of(({ barcode }) => barcode ?? null),
    of(({ line_id: line }) => line ?? null),
    of(({ location_id: location }) => location ?? null),
    of(({ quantity }) => quantity ?? null),
    of(({ receipt_id: receipt }) => receipt ?? null),
    of(({ operator_id: operator }) => operator ?? null),
    calls.map(({ input, sentName: sent }) => sent ?? nameOfGoods(input)),
    of(({ disposition }) => disposition ?? null),
    calls[0]?.caller.keyName,
    // 3 µs each in Postgres.
    calls.map(() => randomUUID()),
  ]
}

const nameOfGoods = (input: NewReceipt): string => (typeof input.line_id === 'number' ? `line ${input.line_id}` : sentName(input))

function refused(kind: ReceivingKind, result: Received, input: NewReceipt): ServiceError {
  const invalid = INVALID[result.refusal ?? '']
  if (invalid !== undefined) return invalidField(...invalid)
  if (result.refusal === 'unknown')
    return new ServiceError('not_found', typeof input.line_id === 'number' ? 'Line not found' : 'Product not found')
  return new ServiceError(kind.errorCode, reasonOf(kind, result))
}

/** Refusals that are about a field. */
const INVALID: Record<string, readonly [path: string, error: string]> = {
  unmeasured: ['quantity', 'is required'],
  fraction: ['quantity', 'must be an integer, because the product is not weighable'],
  elsewhere: ['location_id', 'is a location of another warehouse'],
  unsellable: ['location_id', 'is not sellable: restock needs a sellable location'],
  sellable: ['location_id', 'must be an existing location that is not sellable: quarantine needs one'],
}

function reasonOf({ noun }: ReceivingKind, { refusal, state, open, quantity }: Received): string {
  switch (refusal) {
    case 'over':
      return `The ${noun} is ${state}`
    case 'unannounced':
      return `The product is not in the ${noun}`
    case 'beyond':
      return `Cannot receive ${quantity}: only ${open} still to come`
    case 'untaken':
      return `Cannot receive ${quantity}: with other returns, that is more than was taken for the order`
    default:
      return `The ${noun} has ${MAX_LINES} lines already`
  }
}
