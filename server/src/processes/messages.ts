/** The messages between a server process and its parent. */
export type Message =
  /** The process serves requests. */
  | { kind: 'started'; url: string | undefined; firstKey: string | undefined; dashboardLink: string | undefined }
  /** Another process has replaced this one: end without failing a request. */
  | { kind: 'handOver' }
  | { kind: 'askMetrics'; id: number }
  | { kind: 'metrics'; id: number; texts: string[] }
