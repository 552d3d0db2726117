import { ServiceError } from '../../errors/service-error.ts'

/** One message for all causes: unknown, used, replaced and too old. */
const MESSAGES = {
  link: 'This link is not valid: it was used, is too old, or is incomplete. Sign in with an API key',
  enrolment: 'This code is not valid: it was used, is too old, or is incomplete. Make a new one on the dashboard',
  badge: 'This badge is not valid: it was replaced, is unknown, or its operator is no longer active',
}

export function invalidCode(kind: keyof typeof MESSAGES): ServiceError {
  return new ServiceError('invalid_code', MESSAGES[kind])
}
