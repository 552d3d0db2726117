import type { EndpointFacts } from '../procedures/endpoint-facts.ts'

/** What a client may assume of a tool before it asks its user. */
export interface ToolAnnotations {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: false
}

/** Calls that bring a record into a state: made again, they change nothing. */
const STATE_CALL = /^\/.+\/\{\w+\}\/(?:close|cancel|submit|reopen|approve|ship|deliver|complete)$/
/** Calls that discard what was there before. */
const DESTRUCTIVE_CALL = /\/(?:cancel|approve)$/
const OVERWRITING = new Set(['PUT /stock/product/{productId}', 'POST /stock/bulk'])
/** Posts that find what an earlier call made. */
const FINDING = new Set(['POST /orders', 'POST /products/bulk'])

/** The hints of a tool, by the method and path of its endpoint. */
export function toolAnnotations({ method, path }: Pick<EndpointFacts, 'method' | 'path'>): ToolAnnotations {
  const route = `${method} ${path}`
  const isRead = method === 'GET'
  return {
    readOnlyHint: isRead,
    destructiveHint: method === 'DELETE' || OVERWRITING.has(route) || (!isRead && DESTRUCTIVE_CALL.test(path)),
    idempotentHint: method !== 'POST' || FINDING.has(route) || STATE_CALL.test(path),
    openWorldHint: false,
  }
}
