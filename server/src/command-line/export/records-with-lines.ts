import { z } from 'zod'
import { inbound, inboundLine, listInboundInput } from '../../domain/inbound/index.ts'
import { type LinesOfRecord, lineRows } from '../../csv/line-rows.ts'
import { listReturnsInput, returnLine, returnRecord } from '../../domain/returns/index.ts'
import { count, countLine, listCountsInput } from '../../domain/counts/index.ts'
import { listShipmentsInput, packageLine, shipment, shippedPackage } from '../../domain/shipments/index.ts'
import { patiently } from '../api-client.ts'
import type { FulfillmentClient } from '../sdk.ts'
import type { ExportSource, Reading, Row, Rows } from './export-source.ts'
import { type Listed, listOnce } from './list-once.ts'

/** Records of which CSV has a row per line. */
interface RecordsWithLines {
  name: string
  description: string
  query: z.ZodObject
  record: z.ZodObject
  line: z.ZodObject
  lines?: LinesOfRecord
  list(client: FulfillmentClient, query: object, options: { signal: AbortSignal }): PromiseLike<{ rows: Listed[]; total: number }>
  /** For records whose list has no lines: each is read by itself. */
  get?: (client: FulfillmentClient, id: number, options: { signal: AbortSignal }) => PromiseLike<object>
}

function sourceOf({ name, description, query, record, line, lines, list, get }: RecordsWithLines): ExportSource {
  return {
    name,
    description: `${description}, newest first, with their lines. CSV has one row per line`,
    query,
    ...lineRows(record, line, lines),
    read: (reading) => readRecords(reading, list, get),
  }
}

async function* readRecords(
  { client, filters, signal }: Reading,
  list: RecordsWithLines['list'],
  get: RecordsWithLines['get'],
): AsyncGenerator<Rows> {
  const pages = listOnce(async (page, limit) => patiently(() => list(client, { ...filters, page, limit }, { signal }), signal))
  for await (const { rows, total } of pages) {
    const records: Row[] = []
    for (const row of rows)
      records.push({ ...(get === undefined ? row : await patiently(() => get(client, Number(row.id), { signal }), signal)) })
    yield { rows: records, total }
  }
}

export const RECORDS_WITH_LINES = [
  sourceOf({
    name: 'inbound',
    description: 'Export expected deliveries',
    query: listInboundInput,
    record: inbound,
    line: inboundLine,
    list: async (client, query, options) => {
      const { inbound: rows, pagination } = await client.inbound.list(query, options)
      return { rows, total: pagination.total }
    },
    get: (client, id, options) => client.inbound.get(id, options),
  }),
  sourceOf({
    name: 'returns',
    description: 'Export returns',
    query: listReturnsInput,
    record: returnRecord,
    line: returnLine,
    list: async (client, query, options) => {
      const { returns: rows, pagination } = await client.returns.list(query, options)
      return { rows, total: pagination.total }
    },
    get: (client, id, options) => client.returns.get(id, options),
  }),
  sourceOf({
    name: 'counts',
    description: 'Export counts of stock',
    query: listCountsInput,
    record: count,
    line: countLine,
    list: async (client, query, options) => {
      const { counts: rows, pagination } = await client.counts.list(query, options)
      return { rows, total: pagination.total }
    },
    get: (client, id, options) => client.counts.get(id, options),
  }),
  sourceOf({
    name: 'shipments',
    description: 'Export shipments',
    query: listShipmentsInput,
    record: shipment,
    line: z.object({ ...shippedPackage.omit({ lines: true }).shape, ...packageLine.shape }),
    lines: { field: 'packages', of: ({ packages }) => linesOfPackages(packages as Package[]) },
    list: async (client, query, options) => {
      const { shipments: rows, pagination } = await client.shipments.list(query, options)
      return { rows: rows.map((row) => ({ ...row })), total: pagination.total }
    },
  }),
]

type Package = z.infer<typeof shippedPackage>

/** What is in packages, with the fields of its package. A shipment without packages has one row of its own. */
function linesOfPackages(packages: readonly Package[]): Row[] {
  if (packages.length === 0) return [{}]
  return packages.flatMap(({ lines, ...pack }) => lines.map((line) => ({ ...pack, ...line })))
}
