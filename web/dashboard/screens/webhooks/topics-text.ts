import { t } from '../../../shared/texts/texts.ts'

/** The topics of a webhook in words. */
export function topicsText(events: readonly string[]): string {
  return events.map((topic) => (topic === '*' ? t.webhooks.allTopics : topic)).join(', ')
}
