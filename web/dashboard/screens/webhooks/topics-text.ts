import { t } from '../../../shared/texts/texts.ts'

/** The topics of a webhook in words. */
export function topicsText(events: readonly string[]): string {
  return events.includes('*') ? t.webhooks.allTopics : events.join(', ')
}
