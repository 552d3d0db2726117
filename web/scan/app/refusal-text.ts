import { t } from '../../shared/texts/scan-texts.ts'

const { problem, refused } = t

/** An error of the server, or what a device keeps of it. */
interface Refused {
  code: string
  message: string
  retryAfterMs?: number | undefined
}

type Text = string | ((error: Refused, isKept: boolean) => string)

/** What operators read in the place of the server's messages that are for those who write calls, by the code of the error. */
const TEXTS: ReadonlyMap<string, Text> = new Map<string, Text>([
  // A response that is not the server's, and an earlier try that is still running, are answers that have not come.
  ['unexpected_response', problem.noAnswer],
  ['idempotency_conflict', ({ retryAfterMs }) => (retryAfterMs === undefined ? problem.failed : problem.noAnswer)],
  ['internal_error', refused.failing],
  ['service_unavailable', refused.failing],
  ['rate_limit_exceeded', ({ message }) => (/requests a minute/.test(message) ? refused.busy : message)],
  ['ip_not_allowed', refused.network],
  ['origin_not_allowed', refused.address],
  ['insufficient_scope', ({ message }) => refused.scope(/scope ([\w:]+)/.exec(message)?.[1])],
  ['not_on_device', ({ message }) => (message.startsWith('A device cannot call') ? refused.notOnDevice : message)],
  // What an older server does not have.
  ['method_not_allowed', refused.notOnDevice],
  ['not_found', ({ message }) => (message.startsWith('No route') ? refused.notOnDevice : message)],
  ['operator_not_allowed', ofOperator],
  ['flow_error', ({ message }) => (/running picking flow/.test(message) ? refused.isPicked : message)],
  ['validation_error', ({ message }) => textOfField(message)],
])

/** Why the server refused a call, for operators. `isKept`: of what was scanned earlier, perhaps by another operator. */
export function refusalText(error: Refused, isKept = false): string {
  const text = TEXTS.get(error.code) ?? error.message
  return typeof text === 'string' ? text : text(error, isKept)
}

function ofOperator({ message }: Refused, isKept: boolean): string {
  if (!isKept) return refused.notSignedIn
  return /X-Page-Operator/.test(message) ? refused.notScannedHere : refused.ofAnother
}

/** The path of a field, its name, and what is wrong with it. */
const OF_FIELD = /^(?:[\w.[\]]+\.)?(\w+): (.*)$/
const FIELDS: ReadonlyMap<string, string> = new Map(Object.entries(refused.fields))
/** They are only looked for, as they were scanned. */
const SCANNED = new Set(['order_tenant_id', 'reference'])

function textOfField(message: string): string {
  const [, field, wrong] = OF_FIELD.exec(message) ?? []
  if (field === undefined || wrong === undefined) return message
  if (SCANNED.has(field)) return problem.unknown
  const name = FIELDS.get(field)
  // Other fields are named in the text, or have mistakes too.
  return name === undefined || /[_;]/.test(wrong) ? problem.failed : `${name} ${wrong}`
}
