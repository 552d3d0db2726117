import { type Command, Option } from 'commander'
import { z } from 'zod'

/** Query parameters that the export sets itself. */
const OWN = new Set(['page', 'limit', 'include_details'])

/** Adds an option for each filter in the API's schema of the query. */
export function addFilterOptions(command: Command, query: z.ZodObject | undefined): Command {
  for (const [name, description] of filtersOf(query)) command.addOption(filterOption(name, description))
  return command
}

/** The query parameters for the given options. */
export function filtersIn(options: Record<string, unknown>, query: z.ZodObject | undefined): Record<string, unknown> {
  return Object.fromEntries(
    [...filtersOf(query)].map(([name, description]) => [name, options[filterOption(name, description).attributeName()]]),
  )
}

function filterOption(name: string, description: string): Option {
  const isRepeatable = name === 'state_id'
  return new Option(`--${name.replaceAll('_', '-')} <value${isRepeatable ? '...' : ''}>`, description)
}

function filtersOf(query: z.ZodObject | undefined): Map<string, string> {
  const { properties = {} } = query === undefined ? {} : z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  const filters = Object.entries(properties).filter(([name]) => !OWN.has(name))
  return new Map(filters.map(([name, schema]) => [name, (typeof schema === 'object' && schema.description) || '']))
}
