import type { Tool } from '@modelcontextprotocol/server'
import type { Endpoint } from '../procedures/endpoint.ts'
import { isKeyed } from './keyed-arguments.ts'
import { toolName } from './offered-endpoints.ts'
import { toolAnnotations } from './tool-annotations.ts'
import { toolSchema } from './tool-schema.ts'
import type { ToolText } from './tool-text.ts'

/** The argument that stands for the header `Idempotency-Key`. */
const IDEMPOTENCY_KEY = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'A unique value for this change, such as a UUID. For 24 hours, another call with the same value and the same arguments returns the first result again and changes nothing. Repeat a call that failed without a result with the value it had.',
}

/** Of a check. */
const UNUSED_KEY = { type: 'string', description: 'Not used: the call changes nothing.' }

/** The tool of an endpoint. Everything in it comes from the endpoint's definition. */
export function toolOf(endpoint: Endpoint, textOf: ToolText): Tool {
  const { summary, description, input, output, type } = endpoint
  const inputSchema = toolSchema(input, 'input', textOf)
  const key = isKeyed(endpoint) ? IDEMPOTENCY_KEY : UNUSED_KEY
  if (type === 'mutation') inputSchema.properties = { ...inputSchema.properties, idempotency_key: key }
  return {
    name: toolName(endpoint),
    title: summary,
    description: `${summary}. ${textOf(description)}`,
    inputSchema,
    outputSchema: toolSchema(output, 'output', textOf),
    annotations: toolAnnotations(endpoint),
  } as Tool
}
