import type { z } from 'zod'
import { topicNamed } from '@fulfillment/server/procedures/event-topics.ts'
import { topicsOf } from '@fulfillment/server/procedures/slice.ts'
import { SLICES } from '@fulfillment/server/slices.ts'

const all = topicsOf(SLICES)

/** The name of a topic. */
export type Topic = string
export const TOPICS = all.map(({ name }) => name)
/** The schema of `data` in events of a topic. */
export const dataOf = (topic: Topic): z.ZodObject => topicNamed(topic).data
/** A realistic `data` for a topic. */
export const sampleOf = (topic: Topic): object => topicNamed(topic).sample
