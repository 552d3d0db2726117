/**
 * Calls an observer without waiting for it. Errors and rejections go to `report`, and errors of `report` to the console, so that an observer
 * cannot affect the call.
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
