import { arrayText } from '../../database/statements/statement.ts'
import type { CallEntry } from '../../procedures/change.ts'
import { beginWork, mapInTurns, nextTurn } from '../../runtime/event-loop/turns.ts'
import type { NewOrder } from './schemas.ts'

/** Orders that are created together, all or none. */
export interface Submission {
  tenantId: number
  /** Distinct by `order_tenant_id`. */
  orders: readonly SubmittedOrder[]
  /** Undefined if it is not audited. */
  request: AuditedRequest | undefined
}

/** The request of a submission, for the timelines of its orders. */
export interface AuditedRequest {
  /** With how many of the first orders the audit log keeps. */
  entry: CallEntry
  keyName: string
  requestId: string
}

export type SubmittedOrder = Omit<NewOrder, 'warehouse_id'> & { warehouse_id: number }

/** One list per order field. */
type OrderValues = [
  tenantId: number | undefined,
  batchPositions: number[],
  positions: number[],
  identifiers: string[],
  assemblyDates: string[],
  customerNames: (string | null)[],
  shippingAddresses: (string | null)[],
  warehouseIds: number[],
]
/** One list per line field; `orderNumbers` are positions of orders in the lists of order fields, from 1. */
type LineValues = [orderNumbers: number[], barcodes: string[], quantities: number[], prices: (number | null)[]]
/** The same lists in the text format of Postgres arrays. */
type LineTexts = [orderNumbers: string, barcodes: string, quantities: string, prices: string]
type SubmittedValues = [...OrderValues, ...(LineValues | LineTexts)]
/** Further lists of order fields. */
type ReservationValues = [mayBeBackordered: boolean[], holds: (string | null)[]]
/** One list per field of the submissions' requests; null for one that is not audited. */
type RequestValues = [
  named: number[],
  at: (string | null)[],
  ids: (string | null)[],
  keyNames: (string | null)[],
  addresses: (string | null)[],
  requestIds: (string | null)[],
]

/** The values of a statement for the policy `off`, and of one for any policy. */
export type ValuesWithoutPolicy = [...SubmittedValues, ...RequestValues]
export type ValuesWithPolicy = [...SubmittedValues, ...ReservationValues, ...RequestValues]

const SUBMITTED_PARAMETERS: SubmittedValues['length'] = 12
const RESERVATION_PARAMETERS: ReservationValues['length'] = 2
/** The number of the first parameter of the requests in each. */
export const FIRST_REQUEST_PARAMETER = {
  withoutPolicy: SUBMITTED_PARAMETERS + 1,
  withPolicy: SUBMITTED_PARAMETERS + RESERVATION_PARAMETERS + 1,
}

export function valuesWithoutPolicy(submissions: readonly Submission[]): ValuesWithoutPolicy {
  return [...submittedValues(submissions), ...requestValues(submissions)]
}

export function valuesWithPolicy(submissions: readonly Submission[]): ValuesWithPolicy {
  return [
    ...submittedValues(submissions),
    ...reservationValues(submissions.flatMap(({ orders }) => orders)),
    ...requestValues(submissions),
  ]
}

/**
 * The same for one large submission, built in several turns of the event loop: in one turn, 100,000 lines take 200 ms. The lists of lines
 * are already in the text format of Postgres arrays.
 */
export async function valuesInTurns(submission: Submission): Promise<ValuesWithPolicy> {
  const lists: [string[], string[], string[], string[]] = [[], [], [], []]
  const mustWait = beginWork()
  for (const [index, order] of submission.orders.entries()) {
    if (mustWait()) await nextTurn()
    for (const [position, values] of lineValues([order], index + 1).entries())
      lists[position]?.push(arrayText(values).slice(1, -1))
  }
  const texts = await mapInTurns(lists, (list) => `{${list.join(',')}}`)
  return [
    ...orderValues([submission]),
    ...(texts as LineTexts),
    ...reservationValues(submission.orders),
    ...requestValues([submission]),
  ]
}

function submittedValues(submissions: readonly Submission[]): SubmittedValues {
  return [...orderValues(submissions), ...lineValues(submissions.flatMap(({ orders }) => orders))]
}

function orderValues(submissions: readonly Submission[]): OrderValues {
  const orders = submissions.flatMap((submission, batchPosition) =>
    submission.orders.map((order, position) => ({ batchPosition, position, order })),
  )
  return [
    submissions[0]?.tenantId,
    orders.map(({ batchPosition }) => batchPosition),
    orders.map(({ position }) => position),
    orders.map(({ order }) => order.order_tenant_id),
    orders.map(({ order }) => order.assembly_date),
    orders.map(({ order }) => order.customer_name ?? null),
    orders.map(({ order }) => order.shipping_address ?? null),
    orders.map(({ order }) => order.warehouse_id),
  ]
}

function lineValues(orders: readonly SubmittedOrder[], firstNumber = 1): LineValues {
  const lines = orders.flatMap(({ order_detail }, index) => order_detail.map((line) => ({ number: firstNumber + index, line })))
  return [
    lines.map(({ number }) => number),
    lines.map(({ line }) => line.barcode),
    lines.map(({ line }) => line.quantity),
    lines.map(({ line }) => line.price ?? null),
  ]
}

function reservationValues(orders: readonly SubmittedOrder[]): ReservationValues {
  return [orders.map((order) => order.allow_backorder === true), orders.map((order) => order.hold ?? null)]
}

function requestValues(submissions: readonly Submission[]): RequestValues {
  return [
    submissions.map(({ request }) => request?.entry.named ?? 0),
    submissions.map(({ request }) => request?.entry.at ?? null),
    submissions.map(({ request }) => request?.entry.id ?? null),
    submissions.map(({ request }) => request?.keyName ?? null),
    submissions.map(({ request }) => request?.entry.address ?? null),
    submissions.map(({ request }) => request?.requestId ?? null),
  ]
}
