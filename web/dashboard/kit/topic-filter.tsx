import type { WebhookTopic } from '@fulfillment/sdk'
import { t } from '../../shared/texts/texts.ts'
import { OptionFilter } from './option-filter.tsx'
import { TOPICS } from './topics.ts'

interface TopicFilterProps {
  value: WebhookTopic | undefined
  onFilter: (topic: WebhookTopic | undefined) => void
}

/** A filter by the topic of an event. */
export function TopicFilter(props: TopicFilterProps) {
  return <OptionFilter {...props} label={t.webhooks.topic} any={t.webhooks.anyTopic} values={TOPICS} labelOf={(topic) => topic} />
}
