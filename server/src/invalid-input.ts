import type { ZodError, core } from 'zod'
import { joinFirst, ServiceError } from './errors.ts'
import { INVALID_ID_MESSAGE } from './fields.ts'
import type { ProcedureMeta } from './trpc.ts'

/** What is wrong with items that were checked one by one. An error of Zod writes all of that down as text at once, which takes long. */
export class InvalidItems extends Error {
  readonly issues: core.$ZodIssue[]

  constructor(issues: core.$ZodIssue[]) {
    super('The input is invalid')
    this.issues = issues
  }
}

/** The error that tells a caller what to change in an input that its schema refused. */
export function invalidInput(error: Pick<ZodError, 'issues'>, meta: ProcedureMeta | undefined): ServiceError {
  const issues = error.issues.flatMap(specificIssues)
  const inPath = issues.find((issue) => issue.path.length === 1 && meta?.openapi.path.includes(`{${String(issue.path[0])}}`))
  if (inPath !== undefined) return invalidPathParameter(inPath)
  if (meta?.indexedInput !== undefined) return invalidItems(issues, meta.indexedInput)
  const details = issues.map((issue) => ({ path: pathText(issue.path), error: issue.message }))
  const whole = meta === undefined ? 'The item' : 'The input'
  return new ServiceError('validation_error', joinFirst(details.map((detail) => sentence(detail, whole))), { details })
}

const MAX_ITEM_MISTAKES = 3

/** The first mistakes of an item of a bulk call, as one text. */
export function itemError({ issues }: ZodError): string {
  return invalidInput({ issues: issues.slice(0, MAX_ITEM_MISTAKES) }, undefined).message
}

function invalidPathParameter(issue: core.$ZodIssue): ServiceError {
  const name = String(issue.path[0])
  return issue.message === INVALID_ID_MESSAGE
    ? new ServiceError('invalid_id', `Path parameter ${name} ${INVALID_ID_MESSAGE}`)
    : new ServiceError('not_found', `No record has this ${name}`)
}

/** One detail an item, in the order of the items; what concerns the array as a whole is reported at the position where it goes wrong. */
function invalidItems(issues: core.$ZodIssue[], field: string): ServiceError {
  const byIndex = Map.groupBy(issues, indexOf)
  const details = [...byIndex]
    .toSorted(([a], [b]) => a - b)
    .map(([index, ofItem]) => ({
      index,
      error: joinFirst(ofItem.map((issue) => sentence({ path: pathText(issue.path.slice(2)), error: issue.message }))),
    }))
  return new ServiceError('validation_error', joinFirst(details.map(({ index, error }) => `${field}[${index}]: ${error}`)), {
    details,
  })
}

function indexOf(issue: core.$ZodIssue): number {
  const index = issue.path[1]
  if (typeof index === 'number') return index
  return issue.code === 'too_big' ? Number(issue.maximum) : 0
}

/** A union reports what each of its members says; the member that got furthest says what the caller meant. */
function specificIssues(issue: core.$ZodIssue): core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const deepest = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0] ?? []
  return deepest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(specificIssues)
}

const depth = (issues: readonly core.$ZodIssue[]): number =>
  issues.reduce((deepest, issue) => Math.max(deepest, issue.path.length), 0)

/** `quantity: must be at least 0`; what is about the input as a whole needs a subject. */
function sentence({ path, error }: { path: string; error: string }, whole?: string): string {
  if (path !== '') return `${path}: ${error}`
  return whole !== undefined && error.startsWith('must ') ? `${whole} ${error}` : error
}

/** `order_detail[0].quantity` */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, position) => (typeof key === 'number' ? `[${key}]` : `${position === 0 ? '' : '.'}${String(key)}`))
    .join('')
}
