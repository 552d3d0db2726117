import type { FlowsPickResult, PickingFlowDetails } from '@fulfillment/sdk'
import { exact } from '../../shared/exact.ts'
import { isOf } from '../picking/walk.ts'
import type { FlowNews } from './attempt.ts'

/** The flow with what the server said; undefined when it is over, or another operator's. */
export function applyNews(flow: PickingFlowDetails, news: FlowNews): PickingFlowDetails | undefined {
  switch (news.is) {
    case 'over':
      return undefined
    case 'read':
      return news.flow.state === 'started' && isOf(news.flow, flow.operator_email) ? news.flow : undefined
    case 'picked':
      return withPick(flow, news.result)
    default:
      return withoutPick(flow, news.result)
  }
}

function withPick(flow: PickingFlowDetails, { pick, lines }: FlowsPickResult): PickingFlowDetails {
  // The response to a repeated pick is as old as the pick: what was read since then is newer.
  if (flow.picks.some(({ id }) => id === pick.id)) return flow
  return { ...withLines(flow, pick, lines, -pick.quantity), picks: [...flow.picks, pick] }
}

function withoutPick(flow: PickingFlowDetails, { pick, lines }: FlowsPickResult): PickingFlowDetails {
  if (!flow.picks.some(({ id }) => id === pick.id)) return flow
  return { ...withLines(flow, pick, lines, pick.quantity), picks: flow.picks.filter(({ id }) => id !== pick.id) }
}

function withLines(
  flow: PickingFlowDetails,
  { product_id, location_id }: FlowsPickResult['pick'],
  changed: FlowsPickResult['lines'],
  change: number,
): PickingFlowDetails {
  const lines = flow.lines.map((line) => {
    const news = changed.find(({ order_detail_id }) => order_detail_id === line.order_detail_id)
    if (line.product_id !== product_id) return { ...line, ...news }
    const locations = line.locations.map((level) =>
      level.location_id === location_id ? { ...level, quantity: exact(level.quantity + change) } : level,
    )
    return { ...line, ...news, locations }
  })
  return { ...flow, lines }
}
