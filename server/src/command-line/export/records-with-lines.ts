import type { z } from 'zod'
import { inbound, inboundLine, listInboundInput } from '../../domain/inbound/index.ts'
import { listReturnsInput, returnLine, returnRecord } from '../../domain/returns/index.ts'
import { count, countLine, listCountsInput } from '../../domain/stock-counts/index.ts'
import { patiently } from '../api-client.ts'
import type { FulfillmentClient } from '../sdk.ts'
import type { ExportSource, Reading, Row, Rows } from './export-source.ts'
import { type Listed, listOnce } from './list-once.ts'

/** Records whose list has no lines: each is read by itself. */
interface RecordsWithLines {
  name: string
  description: string
  query: z.ZodObject
  record: z.ZodObject
  line: z.ZodObject
  list(client: FulfillmentClient, query: object, options: { signal: AbortSignal }): PromiseLike<{ rows: Listed[]; total: number }>
  get(client: FulfillmentClient, id: number, options: { signal: AbortSignal }): PromiseLike<object>
}

/** Fields of lines that records have, too. */
const lineColumn = (field: string, record: readonly string[]): string => (record.includes(field) ? `line_${field}` : field)

function sourceOf({ name, description, query, record, line, list, get }: RecordsWithLines): ExportSource {
  const fields = Object.keys(record.shape).filter((field) => field !== 'lines')
  const columnOf = (field: string): string => lineColumn(field, fields)
  return {
    name,
    description: `${description}, newest first, with their lines. CSV has one row per line`,
    query,
    columns: [...fields, ...Object.keys(line.shape).map(columnOf)],
    rowsOf: ({ lines, ...rest }) =>
      (lines as Row[]).map((row) => ({
        ...rest,
        ...Object.fromEntries(Object.entries(row).map(([field, value]) => [columnOf(field), value])),
      })),
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
    for (const { id } of rows) records.push({ ...(await patiently(() => get(client, Number(id), { signal }), signal)) })
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
]
