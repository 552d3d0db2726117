import type { WebhookTopic } from '@fulfillment/sdk'
import { topicOf } from '../../kit/topics.ts'
import { textOf } from '../../search-parameters.ts'

/** The filters of the feed, as they are in the address. */
export interface EventsSearch {
  event?: WebhookTopic | undefined
  since?: string | undefined
  until?: string | undefined
  cursor?: string | undefined
}

export function parseEventsSearch(search: Record<string, unknown>): EventsSearch {
  return {
    event: topicOf(search.event),
    since: textOf(search.since),
    until: textOf(search.until),
    cursor: textOf(search.cursor),
  }
}
