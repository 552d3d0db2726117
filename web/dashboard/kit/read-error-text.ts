import { APIError, ConnectionError } from '../../shared/api.ts'
import { isUnreadable } from '../../shared/is-unanswered.ts'
import { t } from '../../shared/texts/texts.ts'

/** Why something could not be read. The SDK's own messages of a lost connection, and of a response that is not the server's, are for developers. */
export function readErrorText(error: Error): string {
  if (error instanceof ConnectionError) return t.states.noConnection
  if (error instanceof APIError && isUnreadable(error)) return t.states.notTheServer(error.status)
  if (!(error instanceof APIError) || error.code !== 'insufficient_scope') return error.message
  const scope = /\b(?:read|write):[a-z]+\b|\badmin\b/.exec(error.message)?.[0]
  return scope === undefined ? error.message : t.session.lacks(scope)
}
