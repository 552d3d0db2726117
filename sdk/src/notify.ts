/**
 * Calls a function that only observes. It is not waited for, and what it throws, or its promise rejects with, goes to `report`,
 * and what that throws to the console: neither may change what is observed.
 */
export function notify(observe: () => unknown, report?: (error: unknown) => unknown): void {
  const failed = (error: unknown) => (report ? notify(() => report(error)) : console.error(error))
  try {
    const result = observe()
    if (result) Promise.resolve(result).then(undefined, failed)
  } catch (error) {
    failed(error)
  }
}
