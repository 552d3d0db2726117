import { z } from 'zod'
import { EVENT_DATA, EVENT_SAMPLES, TOPICS, type Topic } from '../events/index.ts'
import type { JsonObject } from './types.ts'

/** `order/created` -> `OrderCreatedEvent` */
function eventSchemaName(topic: Topic): string {
  const words = topic.split(/[/_]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Event`
}

const schemaRef = (topic: Topic): string => `#/components/schemas/${eventSchemaName(topic)}`

/** One component schema for the events of each topic, and `Event` for any of them. */
export function eventSchemas(): Record<string, JsonObject> {
  return {
    ...Object.fromEntries(TOPICS.map((topic) => [eventSchemaName(topic), eventSchema(topic)])),
    Event: {
      description: 'An event, as subscribers get it.',
      oneOf: TOPICS.map((topic) => ({ $ref: schemaRef(topic) })),
      discriminator: { propertyName: 'event', mapping: Object.fromEntries(TOPICS.map((topic) => [topic, schemaRef(topic)])) },
    },
  }
}

function exampleOf(topic: Topic): JsonObject {
  return { id: ID, event: topic, created_at: '2026-11-21T09:30:00.000Z', data: EVENT_SAMPLES[topic] }
}

function eventSchema(topic: Topic): JsonObject {
  const { $schema: _, ...data } = z.toJSONSchema(EVENT_DATA[topic], { target: 'draft-2020-12', io: 'output' }) as JsonObject
  return {
    type: 'object',
    description: EVENT_DATA[topic].description,
    properties: {
      id: {
        type: 'string',
        description:
          'Id of the event, the same for every attempt and every subscriber. Use it to process an event once. Ids of events of one record (an order, a picking flow, a product, the stock of a product at a location) sort as text in the order in which they happened.',
      },
      event: { type: 'string', enum: [topic], description: 'Topic of the event.' },
      created_at: { type: 'string', format: 'date-time', description: 'Time of the event, UTC.' },
      data: { description: 'Fields of the topic.', ...data },
    },
    required: ['id', 'event', 'created_at', 'data'],
  }
}

const ID = 'evt_10000000000000000000a1b2'
const STANDARD_WEBHOOKS = 'for the libraries of [Standard Webhooks](https://www.standardwebhooks.com)'

/** What a delivery is sent with: name, description, example. */
const HEADERS: [name: string, description: string, example: string | number][] = [
  [
    'X-Webhook-Signature',
    'Signature, `t=<unix time>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>` with the signing secret. Reject the request when `t` is more than 300 seconds off. For 24 hours after a rotation of the secret there are two `v1`.',
    't=1795253400,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  ],
  ['X-Webhook-Id', 'Id of the event.', ID],
  ['X-Webhook-Topic', 'Topic of the event.', 'order/created'],
  ['X-Webhook-Attempt', 'Number of the attempt to deliver the event, from 1.', 1],
  ['webhook-id', `Id of the event, ${STANDARD_WEBHOOKS}.`, ID],
  ['webhook-timestamp', `Time of sending in Unix seconds, ${STANDARD_WEBHOOKS}.`, '1795253400'],
  [
    'webhook-signature',
    `Signature, \`v1,<base64>\`: HMAC-SHA256 over \`<webhook-id>.<webhook-timestamp>.<raw body>\` with the bytes that the secret encodes in base64, ${STANDARD_WEBHOOKS}. For 24 hours after a rotation of the secret there are two, separated by a space.`,
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

/** What subscribers receive, by topic. */
export function webhookOperations(): Record<string, JsonObject> {
  return Object.fromEntries(TOPICS.map((topic) => [topic, { post: webhookOperation(topic) }]))
}

function webhookOperation(topic: Topic): JsonObject {
  return {
    operationId: `webhook.${topic.replace('/', '.')}`,
    tags: ['webhooks'],
    summary: topic,
    description: `${EVENT_DATA[topic].description ?? ''} Sent to every active subscription of the topic. Answer 2xx within 15 seconds to acknowledge it; otherwise it is sent again, 12 times in all over about three days. Deliveries may arrive in another order than that in which things happened. To keep the latest state of a record, ignore an event whose \`id\` sorts before that of the last one.`,
    parameters: HEADERS.map(([name]) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: schemaRef(topic) }, example: exampleOf(topic) } },
    },
    responses: {
      '2XX': { description: 'Acknowledges the event.' },
      '4XX': { description: 'Not acknowledged: the event is sent again. 410 Gone disables the subscription.' },
    },
  }
}
