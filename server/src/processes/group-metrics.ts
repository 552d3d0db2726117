/** The metrics of the parent process, in the text format of Prometheus. */
export function groupMetrics(serving: number, replaced: number): string {
  return [
    '# HELP fulfillment_processes Server processes that serve, of PROCESSES.',
    '# TYPE fulfillment_processes gauge',
    `fulfillment_processes ${serving}`,
    '',
    '# HELP fulfillment_processes_replaced_total Server processes that died and were replaced.',
    '# TYPE fulfillment_processes_replaced_total counter',
    `fulfillment_processes_replaced_total ${replaced}`,
  ].join('\n')
}
