import { type Command, Option } from 'commander'
import { z } from 'zod'
import { APIError } from '../sdk.ts'

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

/** The API's error about filters, with the names of the options. Any other error stays as it is. */
export function errorOfOptions(error: unknown, query: z.ZodObject | undefined): unknown {
  if (!(error instanceof APIError)) return error
  const filters = filtersOf(query)
  const problems = (error.details ?? []).flatMap((detail) => {
    if (!('path' in detail)) return []
    const name = detail.path.replace(/\[\d+\]$/, '')
    return filters.has(name) ? [`${longName(name)}: ${detail.error}`] : []
  })
  return problems.length === 0 ? error : new Error([...new Set(problems)].join('\n'), { cause: error })
}

function filterOption(name: string, description: string): Option {
  const isRepeatable = name === 'state_id'
  return new Option(`${longName(name)} <value${isRepeatable ? '...' : ''}>`, description)
}

const longName = (name: string): string => `--${name.replaceAll('_', '-')}`

function filtersOf(query: z.ZodObject | undefined): Map<string, string> {
  const { properties = {} } = query === undefined ? {} : z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  const filters = Object.entries(properties).filter(([name]) => !OWN.has(name))
  return new Map(filters.map(([name, schema]) => [name, (typeof schema === 'object' && schema.description) || '']))
}
