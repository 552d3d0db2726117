import { z } from 'zod'
import type { Endpoint } from '../procedures/endpoint.ts'
import { queryBoolean } from '../procedures/fields/fields.ts'
import { invalidInput } from '../procedures/invalid-input.ts'
import { sectionOf } from './offered-endpoints.ts'

/** Whether a connection has the tool of an endpoint. */
export type ToolFilter = (endpoint: Endpoint) => boolean

/** Reads `read_only` and `tools`, the parameters of the address. Throws `validation_error` for a section that the document doesn't have. */
export function toolFilterOf(query: unknown, sections: readonly string[]): ToolFilter {
  const named = z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(sections as [string, ...string[]])))
  const parsed = z.object({ read_only: queryBoolean.optional(), tools: named.optional() }).safeParse(query)
  if (!parsed.success) throw invalidInput(parsed.error, undefined)
  const { read_only: isReadOnly = false, tools } = parsed.data
  return (endpoint) => !(isReadOnly && endpoint.method !== 'GET') && (tools?.includes(sectionOf(endpoint)) ?? true)
}
