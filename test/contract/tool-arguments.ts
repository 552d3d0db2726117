import { z } from 'zod'
import type { Endpoint } from '@fulfillment/server/procedures/endpoint.ts'
import type { Sample } from './requests.ts'

/** A sample request as the arguments of a tool: the fields of path, query and body together. Paths and queries have only text; arguments have the types of the schema. */
export function toolArguments({ path: template, input }: Endpoint, { path, body }: Sample): Record<string, unknown> {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' })
  const [plain = '', query = ''] = path.split('?')
  const values = plain.split('/')
  const inPath = template.split('/').flatMap((part, at) => (part.startsWith('{') ? [[part.slice(1, -1), values[at] ?? '']] : []))
  const typed = [...inPath, ...new URLSearchParams(query)].map(([name = '', text = '']) => {
    const { type } = (properties[name] ?? {}) as { type?: string }
    const value = type === 'integer' || /^(true|false)$/.test(text) ? JSON.parse(text) : text
    return [name, type === 'array' ? [value] : value]
  })
  return { ...(body as object | undefined), ...Object.fromEntries(typed) }
}
