import type { Endpoint } from '../procedures/endpoint.ts'
import type { EndpointFacts } from '../procedures/endpoint-facts.ts'

/** Sections whose operations give access to the service. An agent does what a text in the data talks it into, so it has none of them. */
const DOORS = new Set(['api-keys', 'operators', 'devices', 'sessions'])
/** Sections that an agent may read but not change: where events are sent, and how the tenant works. */
const READ_ONLY = new Set(['webhooks', 'settings'])

/** The section of the document that an endpoint is in: `orders`. */
export function sectionOf({ path }: Pick<EndpointFacts, 'path'>): string {
  return path.split('/')[1] ?? ''
}

/** Whether agents have the endpoint as a tool, if their key has its scope. */
function isOffered(endpoint: EndpointFacts): boolean {
  const section = sectionOf(endpoint)
  return !DOORS.has(section) && (endpoint.method === 'GET' || !READ_ONLY.has(section))
}

/** `orders_create` for `orders.create`: clients don't accept every name with a dot. */
export const toolName = ({ name }: Pick<EndpointFacts, 'name'>): string => name.replaceAll('.', '_')

/** The endpoints that are tools, by the tool's name, in the order of the document: by path. */
export function offeredEndpoints(endpoints: readonly Endpoint[]): ReadonlyMap<string, Endpoint> {
  const inOrder = [...Map.groupBy(endpoints, ({ path }) => path).values()].flat()
  return new Map(inOrder.filter(isOffered).map((endpoint) => [toolName(endpoint), endpoint]))
}
