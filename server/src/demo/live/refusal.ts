import { APIError } from '../../command-line/sdk.ts'

/** Whether an error is one of the domain: somebody else was faster. */
export function isRefusal(error: unknown): boolean {
  return error instanceof APIError && (error.status === 400 || error.status === 404)
}
