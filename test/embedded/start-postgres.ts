import { createInterface } from 'node:readline'
import { startEmbeddedPostgres } from '@fulfillment/server/database/embedded/embedded-postgres.ts'

// A process that uses the embedded Postgres. It prints the connection string, and stops when it reads the line `stop`.
const postgres = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '', settings: { fsync: 'off' } })
process.on('SIGINT', () => console.log('interrupted'))
console.log(postgres.connectionString)
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'stop') break
}
await postgres.stop()
console.log('stopped')
process.exit()
