/** Why a request had no response. fetch only says "fetch failed"; the reason is in the error's cause. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { message?: string; code?: string } }
  return cause?.message || cause?.code || message
}
