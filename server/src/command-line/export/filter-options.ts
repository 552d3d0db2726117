import { type Command, Option } from 'commander'
import { z } from 'zod'

/** What an export takes care of itself. */
const OWN = new Set(['page', 'limit', 'include_details'])

/** Adds an option for each filter of a list, as the API's schema of its query has them. */
export function addFilterOptions(command: Command, query: z.ZodObject | undefined): Command {
  for (const [name, description] of filtersOf(query)) command.addOption(filterOption(name, description))
  return command
}

/** The query parameters that the options amount to. */
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
