import type { WebhookTopic } from '@fulfillment/sdk'
import { topicOf } from '../../kit/topics.ts'
import { pageOf } from '../../search-parameters.ts'
import { DELIVERY_STATES, type DeliveryStateName } from './delivery-states.ts'

/** The filters of the deliveries of a webhook, as they are in the address. */
export interface DeliveriesSearch {
  state?: DeliveryStateName | undefined
  event?: WebhookTopic | undefined
  page?: number | undefined
}

export function parseDeliveriesSearch(search: Record<string, unknown>): DeliveriesSearch {
  return {
    state: DELIVERY_STATES.find((state) => state === search.state),
    event: topicOf(search.event),
    page: pageOf(search.page),
  }
}
