import { z } from 'zod'

/** The definition of an event topic. */
export interface EventTopic<Name extends string = string, Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** `order/created` */
  name: Name
  /** The schema of `data`. The document's `webhooks`, the SDK's event types and the serialisation of events are made from it. */
  data: z.ZodObject<Shape>
  /** Realistic `data`, for test events and the example in the document. */
  sample: z.infer<z.ZodObject<Shape>>
}

/** The records whose topics are in the published specification. All other topics are additions: `*` does not include them. */
export const PUBLISHED_RECORDS = ['order', 'product', 'stock', 'flow']

/** The record of a topic: `order` of `order/created`. */
export const recordOf = (topic: string): string => topic.slice(0, topic.indexOf('/'))

/**
 * SQL for the names in a subscription's `events` that ask for a topic: its own, and `*` if it is in the published specification. `topic` is
 * SQL.
 */
export function askedForBy(topic: string): string {
  return `case when ${isPublished(topic)} then array['*', ${topic}] else array[${topic}] end`
}

/** SQL for whether a topic is one of the published specification. */
export function isPublished(topic: string): string {
  return `split_part(${topic}, '/', 1) in (${PUBLISHED_RECORDS.map((record) => `'${record}'`).join(', ')})`
}

const known = new Map<string, EventTopic>()
let wereLookedUp = false

/** Defines a topic. Subscriptions and the feed accept it once its slice is listed in slices.ts. */
export function eventTopic<const Name extends string, Shape extends z.ZodRawShape>(
  topic: EventTopic<Name, Shape>,
): EventTopic<Name, Shape> {
  return topic
}

/** Registers topics. Throws if a schema has already read the list, because schemas cache it. */
export function addTopics(topics: readonly EventTopic[]): void {
  if (wereLookedUp) throw new Error('List all slices before the document is generated or a call is made')
  for (const topic of topics) known.set(topic.name, topic)
}

/** The topic with this name. Throws if no slice defines it. */
export function topicNamed(name: string): EventTopic {
  const topic = known.get(name)
  if (topic === undefined) throw new Error(`No slice has the topic ${name}`)
  return topic
}

/** The names of all topics. From then on, no topic can be added. */
export function topicNames(): [string, ...string[]] {
  wereLookedUp = true
  return [...known.keys()] as [string, ...string[]]
}

/** The name of a topic. The list is read when the first value is checked, because slices are loaded later. */
export const topicName = z.lazy(() => z.enum(topicNames()))

/** The name of a topic, or `*` for all of the published specification. */
export const topicNameOrAll = z.lazy(() => z.enum([...topicNames(), '*']))

/** Whether no topic is listed that `*` includes already: beside `*`, only additions may be. */
export function hasNoRedundantTopic(topics: readonly string[]): boolean {
  return !topics.includes('*') || topics.every((topic) => topic === '*' || !PUBLISHED_RECORDS.includes(recordOf(topic)))
}
