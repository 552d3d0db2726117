import { APIError } from '../../command-line/sdk.ts'
import type { Journal } from './journal.ts'

const REFUSALS: ReadonlySet<number> = new Set([400, 404, 409])

/** Whether an error is one of the domain: somebody else was faster. */
export function isRefusal(error: unknown): boolean {
  return error instanceof APIError && REFUSALS.has(error.status)
}

/** Does a step. Tells a refusal, and returns undefined: the user of the demo can take away what a step needs. */
export async function unlessRefused<T>(journal: Journal, who: string, step: () => Promise<T>): Promise<T | undefined> {
  try {
    return await step()
  } catch (error) {
    if (!isRefusal(error)) throw error
    journal.tell(`${who} is refused: ${(error as Error).message}`)
    return undefined
  }
}
