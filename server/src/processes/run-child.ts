import type { Config } from '../config.ts'
import { type RunningServer, startServer } from '../server.ts'
import { NUMBER_VARIABLE } from './child.ts'
import type { Message } from './messages.ts'
import { METRICS_LIMIT_MS, MetricsExchange } from './metrics-exchange.ts'

/** Runs one of the server processes behind one port. The parent prints the addresses. */
export async function runChild(config: Config) {
  // A terminal sends SIGHUP and SIGINT to all processes. Only the parent handles them.
  for (const signal of ['SIGHUP', 'SIGINT']) process.removeAllListeners(signal).on(signal, () => {})
  let server: RunningServer | undefined
  const own = async (): Promise<string[]> => (server === undefined ? [] : [await server.ownMetrics()])
  const exchange = new MetricsExchange(send, own, METRICS_LIMIT_MS.child)
  // Registered before the start, because the parent may ask for metrics during the start.
  process.on('message', (message: Message) => {
    exchange.receive(message)
    if (message.kind === 'handOver') void server?.handOver().then(() => process.exit(0), fail)
  })
  const number = process.env[NUMBER_VARIABLE] ?? ''
  const running = await startServer(config, { number, metricsOfAll: () => exchange.ask() })
  server = running
  const { url, firstKey, dashboardLink } = running
  send({ kind: 'started', url, firstKey, dashboardLink })
  return { url: undefined, firstKey: undefined, dashboardLink: undefined, stop: () => running.stop() }
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

function send(message: Message): void {
  process.send?.(message)
}
