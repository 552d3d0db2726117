import type { APIError, FlowsPickResult, FlowsUndoPickResult, PickingFlow, PickingFlowDetails } from '@fulfillment/sdk'
import { roomOf } from '../picking/line-bounds.ts'
import { isOf } from '../picking/walk.ts'
import { judgeOfRecord, lateCount, type RecordCalls, type RecordNews, sendOfRecord } from './attempt-record.ts'
import type { Entry, FlowEntry, PickEntry, Refusal, RefusalReason } from './entry.ts'
import { type Interruption, interruptionOf } from './interruption.ts'

/** The calls that the queue needs. They do not retry. */
export interface QueueCalls extends RecordCalls {
  pick(entry: PickEntry): Promise<FlowsPickResult>
  undo(entry: PickEntry): Promise<FlowsUndoPickResult>
  complete(entry: FlowEntry): Promise<PickingFlow>
  readFlow(id: number, operatorId: number): Promise<PickingFlowDetails>
}

/** What is known of the flow after an attempt: changed lines, all of it, or that this device has ended it. */
export type FlowNews =
  | { is: 'picked'; result: FlowsPickResult }
  | { is: 'undone'; result: FlowsUndoPickResult }
  | { is: 'read'; flow: PickingFlowDetails }
  | { is: 'over' }

/** What became of an attempt to send an entry. */
export type Attempt =
  | Interruption
  | { is: 'done'; news?: News | undefined }
  | { is: 'refused'; error: Refusal; news?: News | undefined }

type News = FlowNews | RecordNews

/**
 * Sends an entry once. After a refusal it reads the flow or record, and decides by its state: an earlier attempt may have been carried out.
 */
export async function attempt(entry: Entry, calls: QueueCalls): Promise<Attempt> {
  const late = lateCount(entry)
  if (late !== undefined) return { is: 'refused', error: late }
  try {
    return { is: 'done', news: await send(entry, calls) }
  } catch (error) {
    const interruption = interruptionOf(error)
    if (interruption !== undefined) return interruption
    const refusal = error as APIError
    // There is no such pick: it never arrived.
    if (entry.kind === 'undo' && refusal.status === 404) return { is: 'done' }
    return entry.record === undefined ? await judge(entry, refusal, calls) : await judgeOfRecord(entry, refusal, calls)
  }
}

async function send(entry: Entry, calls: QueueCalls): Promise<News> {
  if (entry.record !== undefined) return await sendOfRecord(entry, calls)
  if (entry.kind === 'pick') return { is: 'picked', result: await calls.pick(entry) }
  if (entry.kind === 'undo') return { is: 'undone', result: await calls.undo(entry) }
  await calls.complete(entry)
  return { is: 'over' }
}

async function judge(entry: FlowEntry, error: APIError, calls: QueueCalls): Promise<Attempt> {
  let flow: PickingFlowDetails
  try {
    flow = await calls.readFlow(entry.flow_id, entry.operator_id)
  } catch (failure) {
    const interruption = interruptionOf(failure)
    if (interruption !== undefined) return interruption
    // Only the first attempt of all tells that nothing was carried out.
    return { is: 'refused', error: refusal('other', error, { is_certain: entry.attempts <= 1 }) }
  }
  const news = { is: 'read', flow } as const
  if (isCarriedOut(entry, flow)) return { is: 'done', news }
  const reason = reasonOf(entry, error, flow)
  return { is: 'refused', error: refusal(reason, error, detailOf(reason, entry, flow)), news }
}

function isCarriedOut(entry: FlowEntry, flow: PickingFlowDetails): boolean {
  if (entry.kind === 'complete') return flow.state === 'completed'
  const isThere = flow.picks.some(({ id }) => id === entry.pick_id)
  // Cancelling a flow puts its picks back.
  return entry.kind === 'pick' ? isThere : !isThere || flow.state === 'cancelled'
}

function reasonOf(entry: FlowEntry, { code }: APIError, flow: PickingFlowDetails): RefusalReason {
  if (flow.state !== 'started') return 'over'
  if (!isOf(flow, entry.operator_email)) return 'operator'
  if (code === 'adjustment_error') return entry.kind === 'pick' ? 'stock' : 'other'
  const left = leftOf(entry, flow)
  if (code !== 'flow_error' || entry.kind !== 'pick' || left === undefined) return 'other'
  if (left < entry.body.quantity) return 'beyond'
  // A flow has the locations from which may be picked.
  return levelOf(entry, flow) === undefined ? 'place' : 'other'
}

const lineOf = ({ body }: FlowEntry, { lines }: PickingFlowDetails) =>
  lines.find(({ order_detail_id }) => order_detail_id === body?.order_detail_id)

const levelOf = (entry: FlowEntry, flow: PickingFlowDetails) =>
  lineOf(entry, flow)?.locations.find(({ location_id }) => location_id === entry.body?.location_id)

/** What the line can still take, within its tolerance. */
function leftOf(entry: FlowEntry, flow: PickingFlowDetails): number | undefined {
  const line = lineOf(entry, flow)
  return line === undefined ? undefined : roomOf(line, line.picked_quantity)
}

function detailOf(reason: RefusalReason, entry: FlowEntry, flow: PickingFlowDetails): Partial<Refusal> {
  const left = reason === 'stock' ? (levelOf(entry, flow)?.quantity ?? 0) : leftOf(entry, flow)
  return { is_certain: true, state: flow.state, operator: flow.operator_email, ...(left === undefined ? {} : { left }) }
}

function refusal(reason: RefusalReason, { code, message, requestId }: APIError, detail: Partial<Refusal>): Refusal {
  return { is_certain: false, ...detail, reason, code, message, request_id: requestId ?? null }
}
