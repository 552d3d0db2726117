import { jsDoc } from './js-doc.ts'
import { componentName, type Document, exampleOf, jsonContent, type MediaType } from './openapi-document.ts'
import { declareComponent, declareNamed } from './render-models.ts'

/** A webhook topic, the component of its event, and example data. */
export interface Topic {
  topic: string
  component: string
  sampleData: unknown
}

/** The topics that the document lists under `webhooks`. */
export function readTopics(document: Document): Topic[] {
  return Object.entries(document.webhooks).map(([topic, { post }]) => {
    const content = jsonContent(post?.requestBody?.content)
    const component = content && componentName(content.schema)
    if (!component) throw new Error(`${topic}: its body is no component`)
    return { topic, component, sampleData: sampleData(document, topic, content) }
  })
}

function sampleData(document: Document, topic: string, content: MediaType): unknown {
  const example = exampleOf(document, content) as { data?: unknown } | undefined
  if (!example?.data) throw new Error(`${topic}: its body has no example`)
  return example.data
}

/** `events.ts`: the type of each event, and their union. */
export function renderEvents(document: Document, topics: Topic[]): string {
  return [
    "import type { components } from './schema.ts'",
    "type Schemas = components['schemas']",
    declareNamed,
    ...topics.map(({ component }) => declareComponent(component, document.components.schemas[component]!)),
    `${jsDoc('Any event that the service sends; `event` tells which, so that a `switch` on it gives `data` its type.')}export type WebhookEvent =\n${topics.map(({ component }) => `  | ${component}`).join('\n')}`,
    `${jsDoc('The topics to subscribe to.')}export type WebhookTopic = WebhookEvent['event']`,
    `${jsDoc("The event of one topic: `WebhookEventOf<'order/created'>`.")}export type WebhookEventOf<T extends WebhookTopic> = Extract<WebhookEvent, { event: T }>`,
  ].join('\n\n')
}

/** `sample-data.ts`: the document's example of each event. */
export function renderSampleData(topics: Topic[]): string {
  const samples = Object.fromEntries(topics.map(({ topic, sampleData: data }) => [topic, data]))
  return `import type { WebhookEventOf, WebhookTopic } from './events.ts'

${jsDoc('The example data of each topic.')}export const sampleData: { [T in WebhookTopic]: WebhookEventOf<T>['data'] } = ${JSON.stringify(samples, null, 2)}`
}
