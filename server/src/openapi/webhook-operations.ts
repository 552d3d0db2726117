import { z } from 'zod'
import type { EventTopic } from '../procedures/event-topics.ts'
import type { JsonObject } from './types.ts'

/** `order/created` -> `OrderCreatedEvent` */
function eventSchemaName({ name }: EventTopic): string {
  const words = name.split(/[/_]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Event`
}

const schemaRef = (topic: EventTopic): string => `#/components/schemas/${eventSchemaName(topic)}`

/** One component schema for the events of each topic, and `Event` for any of them. */
export function eventSchemas(topics: readonly EventTopic[]): Record<string, JsonObject> {
  return {
    ...Object.fromEntries(topics.map((topic) => [eventSchemaName(topic), eventSchema(topic)])),
    Event: {
      description: 'An event, as subscribers receive it.',
      oneOf: topics.map((topic) => ({ $ref: schemaRef(topic) })),
      discriminator: {
        propertyName: 'event',
        mapping: Object.fromEntries(topics.map((topic) => [topic.name, schemaRef(topic)])),
      },
    },
  }
}

function exampleOf(topic: EventTopic): JsonObject {
  return { id: ID, event: topic.name, created_at: '2026-11-21T09:30:00.000Z', data: topic.sample }
}

function eventSchema(topic: EventTopic): JsonObject {
  const { $schema: _, ...data } = z.toJSONSchema(topic.data, { target: 'draft-2020-12', io: 'output' }) as JsonObject
  return {
    type: 'object',
    description: topic.data.description,
    properties: {
      id: {
        type: 'string',
        description:
          'Id of the event, the same for every attempt and every subscriber. Use it to process each event once. For events of one record (an order, a picking flow, a product, the stock of a product at a location), the ids sort as text in the order the events happened.',
      },
      event: { type: 'string', enum: [topic.name], description: 'Topic of the event.' },
      created_at: { type: 'string', format: 'date-time', description: 'Time of the event, UTC.' },
      data: { description: 'Fields of the topic.', ...data },
    },
    required: ['id', 'event', 'created_at', 'data'],
  }
}

const ID = 'evt_10000000000000000000a1b2'
const STANDARD_WEBHOOKS = 'for the libraries of [Standard Webhooks](https://www.standardwebhooks.com)'

/** The headers of a delivery: name, description, example. */
const HEADERS: [name: string, description: string, example: string | number][] = [
  [
    'X-Webhook-Signature',
    'Signature, `t=<unix time>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>` with the signing secret. Reject the request if `t` is more than 300 seconds off. For 24 hours after a secret rotation there are several `v1` signatures: accept the request if one of them matches.',
    't=1795253400,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  ],
  ['X-Webhook-Id', 'Id of the event.', ID],
  ['X-Webhook-Topic', 'Topic of the event.', 'order/created'],
  ['X-Webhook-Attempt', 'Number of the attempt to deliver the event, from 1.', 1],
  ['webhook-id', `Id of the event, ${STANDARD_WEBHOOKS}.`, ID],
  ['webhook-timestamp', `Time of sending in Unix seconds, ${STANDARD_WEBHOOKS}.`, '1795253400'],
  [
    'webhook-signature',
    `Signature, \`v1,<base64>\`: HMAC-SHA256 over \`<webhook-id>.<webhook-timestamp>.<raw body>\` with the bytes that the secret encodes in base64, ${STANDARD_WEBHOOKS}. For 24 hours after a secret rotation there are several signatures, separated by spaces.`,
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
]

/** The headers of a delivery, which the operations of all topics refer to. */
export const WEBHOOK_PARAMETERS: Record<string, JsonObject> = Object.fromEntries(
  HEADERS.map(([name, description, example]) => {
    const schema = { type: typeof example === 'number' ? 'integer' : 'string' }
    return [name, { in: 'header', name, required: true, description, schema, example }]
  }),
)

/** The webhook requests, by topic. */
export function webhookOperations(topics: readonly EventTopic[]): Record<string, JsonObject> {
  return Object.fromEntries(topics.map((topic) => [topic.name, { post: webhookOperation(topic) }]))
}

function webhookOperation(topic: EventTopic): JsonObject {
  return {
    operationId: `webhook.${topic.name.replace('/', '.')}`,
    tags: ['webhooks'],
    summary: topic.name,
    description: `${topic.data.description ?? ''} Sent to every active subscription to the topic. Respond with 2xx within 15 seconds to acknowledge the event; otherwise the delivery is retried, with at most 12 attempts over about three days. Deliveries can arrive out of order. To keep the latest state of a record, ignore an event whose \`id\` sorts before the \`id\` of the last event you processed for that record. A test call sends sample data with an \`id\` that begins with \`evt_test_\` and sorts after all others: acknowledge it and ignore it.`,
    parameters: HEADERS.map(([name]) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: schemaRef(topic) }, example: exampleOf(topic) } },
    },
    responses: {
      '2XX': { description: 'Acknowledges the event.' },
      '4XX': { description: 'Does not acknowledge the event: the delivery is retried. 410 Gone disables the subscription.' },
    },
  }
}
