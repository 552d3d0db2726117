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

function names(): [string, ...string[]] {
  wereLookedUp = true
  return [...known.keys()] as [string, ...string[]]
}

/** The name of a topic. The list is read when the first value is checked, because slices are loaded later. */
export const topicName = z.lazy(() => z.enum(names()))

/** The name of a topic, or `*` for all of them. */
export const topicNameOrAll = z.lazy(() => z.enum([...names(), '*']))
