/**
 * Merges the metrics of several processes, in the text format of Prometheus: all lines of a metric must be together. prom-client's
 * `AggregatorRegistry` is not used, because it sums gauges that differ by process, averages the delays of event loops, and omits metrics
 * that it cannot sum.
 */
export function mergeMetrics(texts: readonly string[]): string {
  const metrics = new Map<string, string[]>()
  for (const block of texts.flatMap((text) => text.trim().split('\n\n'))) {
    const [help = '', type = '', ...samples] = block.split('\n')
    const merged = metrics.get(help)
    if (merged === undefined) metrics.set(help, [help, type, ...samples])
    else merged.push(...samples)
  }
  return `${[...metrics.values()].map((lines) => lines.join('\n')).join('\n\n')}\n`
}
