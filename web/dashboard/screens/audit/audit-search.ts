import { textOf } from '../../search-parameters.ts'

export const SURFACES = ['api', 'dashboard', 'scan', 'mcp'] as const
export type Surface = (typeof SURFACES)[number]

/** The filters of the API, as they are in the address. */
export interface AuditSearch {
  operation?: string | undefined
  key_id?: number | undefined
  surface?: Surface | undefined
  request_id?: string | undefined
  operator_email?: string | undefined
  since?: string | undefined
  until?: string | undefined
  cursor?: string | undefined
}

export function parseAuditSearch(search: Record<string, unknown>): AuditSearch {
  return {
    operation: textOf(search.operation),
    key_id: keyIdOf(search.key_id),
    surface: SURFACES.find((surface) => surface === search.surface),
    request_id: textOf(search.request_id),
    operator_email: textOf(search.operator_email),
    since: textOf(search.since),
    until: textOf(search.until),
    cursor: textOf(search.cursor),
  }
}

/** The id 0 stands for the command line. */
function keyIdOf(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : textOf(value)
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
