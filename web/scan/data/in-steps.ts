const AT_ONCE = 6

/** Runs a call for each item, a few at a time. Their results are in the order of the items; one that fails ends all. */
export async function inSteps<T, R>(items: readonly T[], call: (item: T) => PromiseLike<R>): Promise<R[]> {
  const results: R[] = []
  for (let from = 0; from < items.length; from += AT_ONCE)
    results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(call))))
  return results
}
