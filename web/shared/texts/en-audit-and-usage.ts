import { count, grouped, moreOf } from './count.ts'

/** "0.4 %"; the smallest shares are not hidden by rounding. */
const share = (part: number, whole: number): string => `${grouped(Math.ceil((part / Math.max(whole, 1)) * 1_000) / 10)} %`

/** The audit log, and the report of API usage. */
export const auditAndUsage = {
  audit: {
    none: 'No changes yet',
    noMatch: 'No changes match',
    onPage: (entries: number) => `${count(entries, 'entry', 'entries')} on this page, newest first`,
    more: (entries: number, isAll: boolean) => moreOf(entries, isAll, 'entry', 'entries'),
    at: 'Time',
    who: 'Who',
    key: 'Key',
    commandLine: 'Command line',
    surface: 'Surface',
    anySurface: 'All surfaces',
    surfaces: { api: 'API', dashboard: 'Dashboard', scan: 'Scan', mcp: 'Agent' },
    operator: 'Operator',
    operation: 'Operation',
    input: 'Input',
    error: 'Error',
    address: 'Address',
    requestId: 'Request id',
    since: 'Since',
    until: 'Until',
  },
  usage: {
    title: 'API usage',
    none: 'No requests in the last 24 hours. Requests appear within 10 seconds.',
    noMatch: 'No requests match',
    total: (rows: number) => count(rows, 'row', 'rows'),
    shares: (requests: number, { client, limited, server }: { client: number; limited: number; server: number }) =>
      `${count(requests, 'request', 'requests')}: ${share(client, requests)} 4xx, ${share(limited, requests)} 429, ${share(server, requests)} 5xx`,
    byOperation: 'By operation',
    hour: 'Hour from',
    operation: 'Operation',
    requests: 'Requests',
    clientErrors: '4xx',
    limited: '429',
    serverErrors: '5xx',
    since: 'Since',
    until: 'Until',
  },
}
