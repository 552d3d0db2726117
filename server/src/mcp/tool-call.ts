import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { joinFirst } from '../errors/join-first.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Admit } from '../http/admit.ts'
import type { LargeResponses } from '../http/body/large-responses.ts'
import { shownFailure } from '../http/failures.ts'
import { idempotencyKeyOf } from '../http/idempotency-key.ts'
import { mayWait } from '../procedures/endpoint-facts.ts'
import type { Endpoint } from '../procedures/endpoint.ts'
import { failureOf } from '../procedures/failure.ts'
import { valueOf } from '../procedures/json-text.ts'
import type { Procedures } from '../procedures/procedures.ts'
import { isKeyed, keyedArguments } from './keyed-arguments.ts'
import { failureText } from './tool-text.ts'
import { wholeData } from './whole-data.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The call of a tool. Its failures have a status, which the HTTP response of a tool's result does not show. */
    toolCall?: { operation: string; isRead: boolean; status: number }
  }
}

/** What calls of tools need. */
export interface ToolCaller {
  call: Procedures['call']
  admit: Admit
  largeResponses: LargeResponses
}

/** Calls the endpoint of a tool. Every failure of the API is a result, which the model reads. */
export async function callTool(
  { call, admit, largeResponses }: ToolCaller,
  endpoint: Endpoint,
  given: Record<string, unknown>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<CallToolResult> {
  const isRead = endpoint.type === 'query'
  const toolCall = (request.toolCall = { operation: endpoint.name, isRead, status: 200 })
  try {
    const context = admit(request, endpoint)
    if (mayWait(endpoint)) request.leaveScheduler?.()
    requirePathArguments(endpoint, given)
    const named = withTextInPath(endpoint, given)
    const { input, keyed } = isKeyed(endpoint)
      ? await keyedArguments(endpoint.name, named, idempotencyKeyOf(request))
      : { input: isRead ? withoutNulls(named) : named, keyed: undefined }
    const { data, isReplayed } = await call(context, input, keyed)
    if (isReplayed) reply.header('idempotency-replayed', 'true')
    const { largeList } = request
    if (largeList === undefined) return resultOf(valueOf(data) as Record<string, unknown>)
    return resultOf(await largeResponses.inTurn(request.caller.tenantId, () => wholeData(valueOf(data), largeList)))
  } catch (error) {
    const failure = failureOf(error, { requestId: request.id, endpoint })
    toolCall.status = failure.status
    if (failure.errorCode === 'internal_error') request.log.error({ err: failure.cause ?? failure }, failure.message)
    return failedResult(failure)
  }
}

/** In a path, nothing can be missing, and all is text. Here it can be anything, and would be taken for the id of no record. */
function requirePathArguments({ path }: Endpoint, given: Record<string, unknown>): void {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const details = names.flatMap((name) => {
    if (given[name] == null) return { path: name, error: 'is required' }
    return ['string', 'number'].includes(typeof given[name]) ? [] : { path: name, error: 'must be a string or a number' }
  })
  if (details.length > 0)
    throw new ServiceError('validation_error', joinFirst(details.map((detail) => `${detail.path}: ${detail.error}`)), { details })
}

/** The id of an order is a number, and what REST has in a path is text. A model sends either. */
function withTextInPath({ path }: Endpoint, given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'number' && path.includes(`{${name}}`) ? String(value) : value,
    ]),
  )
}

/** What reading tools take comes from a query, which has no null. Models write null for what they leave out. */
function withoutNulls(given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
}

/** The error of a call of a tool that the connection does not have. */
export function unknownTool(name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`)
}

function resultOf(data: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data }
}

function failedResult(failure: ServiceError): CallToolResult {
  const shown = shownFailure(failure)
  const text = JSON.stringify({ ...shown, message: failureText(shown.message) })
  return { content: [{ type: 'text', text }], isError: true }
}
