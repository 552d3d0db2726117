import type { core, ZodError } from 'zod'
import type { EndpointFacts } from './endpoint-facts.ts'
import { joinFirst } from '../errors/join-first.ts'
import { ServiceError } from '../errors/service-error.ts'
import { INVALID_ID_MESSAGE } from './fields/fields.ts'

/** The issues of items that were validated one by one. A `ZodError` would format all of them as text, which is slow. */
export class InvalidItemsError extends Error {
  readonly issues: core.$ZodIssue[]

  constructor(issues: core.$ZodIssue[]) {
    super('The input is invalid')
    this.issues = issues
  }
}

/** The `validation_error` for invalid input. */
export function invalidInput(
  error: Pick<ZodError, 'issues'>,
  endpoint: Pick<EndpointFacts, 'path' | 'itemsField'> | undefined,
): ServiceError {
  const issues = error.issues.flatMap(specificIssues)
  const inPath = issues.find((issue) => issue.path.length === 1 && endpoint?.path.includes(`{${String(issue.path[0])}}`))
  if (inPath !== undefined) return invalidPathParameter(inPath)
  if (endpoint?.itemsField !== undefined) return invalidItems(issues)
  const details = issues.map((issue) => ({ path: pathText(issue.path), error: issue.message }))
  const whole = endpoint === undefined ? 'The item' : 'The input'
  return new ServiceError('validation_error', joinFirst(details.map((detail) => sentence(detail, whole))), { details })
}

const MAX_ITEM_MISTAKES = 3

/** The first errors of an item of a bulk call, as one text. */
export function itemError({ issues }: ZodError): string {
  return invalidInput({ issues: issues.slice(0, MAX_ITEM_MISTAKES) }, undefined).message
}

function invalidPathParameter(issue: core.$ZodIssue): ServiceError {
  const name = String(issue.path[0])
  return issue.message === INVALID_ID_MESSAGE
    ? new ServiceError('invalid_id', `Path parameter ${name} ${INVALID_ID_MESSAGE}`)
    : new ServiceError('not_found', `No record has this ${name}`)
}

/** One detail per item, in the order of the items. An error of the whole array has the index at which it occurs. */
function invalidItems(issues: core.$ZodIssue[]): ServiceError {
  const byIndex = [...Map.groupBy(issues, indexOf)].toSorted(([a], [b]) => a - b)
  const items = byIndex.map(([index, ofItem]) => ({
    index,
    path: pathText(ofItem[0]?.path.slice(0, 2) ?? []),
    error: joinFirst(ofItem.map((issue) => sentence({ path: pathText(issue.path.slice(2)), error: issue.message }))),
  }))
  const message = joinFirst(items.map((item) => sentence(item, 'The input')))
  return new ServiceError('validation_error', message, { details: items.map(({ index, error }) => ({ index, error })) })
}

function indexOf(issue: core.$ZodIssue): number {
  const index = issue.path[1]
  if (typeof index === 'number') return index
  return issue.code === 'too_big' ? Number(issue.maximum) : 0
}

/** A union has issues for each of its members. Those of the member that matched furthest are the most helpful. */
function specificIssues(issue: core.$ZodIssue): core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const deepest = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0] ?? []
  return deepest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(specificIssues)
}

const depth = (issues: readonly core.$ZodIssue[]): number =>
  issues.reduce((deepest, issue) => Math.max(deepest, issue.path.length), 0)

/** `quantity: must be at least 0`. Messages about the whole input get a subject. */
function sentence({ path, error }: { path: string; error: string }, whole?: string): string {
  if (path !== '') return `${path}: ${error}`
  return whole !== undefined && /^(is|must) /.test(error) ? `${whole} ${error}` : error
}

/** `order_detail[0].quantity` */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, position) => (typeof key === 'number' ? `[${key}]` : `${position === 0 ? '' : '.'}${String(key)}`))
    .join('')
}
