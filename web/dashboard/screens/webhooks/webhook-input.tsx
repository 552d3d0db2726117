import type { WebhooksCreateParams } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { CheckboxGroup } from '../../kit/choices.tsx'
import { Field } from '../../kit/field.tsx'
import { isStandard, TOPICS } from '../../kit/topics.ts'

export type WebhookTopics = WebhooksCreateParams['events']
type TopicOrAll = WebhookTopics[number]

export interface WebhookInput {
  name: string
  url: string
  events: WebhookTopics
}

const ALL = '*'

const OPTIONS: { value: TopicOrAll; label: string }[] = [
  { value: ALL, label: t.webhooks.allTopics },
  ...TOPICS.map((topic) => ({ value: topic, label: topic })),
]

/** The server names the position of a topic; the form has one group of them. */
export const TOPIC_FIELDS = Object.fromEntries(OPTIONS.map((_, index) => [`events[${index}]`, 'events']))

/** What is typed into the form of a webhook, and its fields. */
export function useWebhookInput(initial: WebhookInput) {
  const [input, setInput] = useState(initial)
  const change = (part: Partial<WebhookInput>): void => setInput((before) => ({ ...before, ...part }))
  const fields = (
    <>
      <Field
        label={t.webhooks.name}
        name="name"
        isRequired
        maxLength={255}
        autoFocus
        value={input.name}
        onChange={(name) => change({ name })}
      />
      <Field
        label={t.webhooks.url}
        name="url"
        isRequired
        maxLength={2048}
        size="wide"
        hint={t.webhooks.urlHint}
        value={input.url}
        onChange={(url) => change({ url })}
      />
      <CheckboxGroup
        label={t.webhooks.topics}
        name="events"
        isRequired
        options={OPTIONS}
        value={input.events}
        onChange={(chosen) => change({ events: topicsOf(chosen, input.events) })}
      />
    </>
  )
  return { input, fields }
}

/** All standard topics take the place of each of them, and the other way round; topics that are asked for by name stay. */
function topicsOf(chosen: readonly TopicOrAll[], before: readonly TopicOrAll[]): WebhookTopics {
  const byName = chosen.filter((topic) => topic !== ALL && !isStandard(topic))
  const standard = chosen.filter((topic) => topic !== ALL && isStandard(topic))
  const hasChosenAll = chosen.includes(ALL) && (!before.includes(ALL) || standard.length === 0)
  return [...(hasChosenAll ? ([ALL] as const) : standard), ...byName]
}
