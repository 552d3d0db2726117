import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen, until } from '../../support/receiver.ts'

/** A span as it arrived. */
export interface CollectedSpan {
  name: string
  /** 2 for a server's span, 3 for a client's. */
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  traceState: string | undefined
  /** 2 for an error. */
  statusCode: number
  attributes: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
  startMs: number
  endMs: number
  resource: Record<string, unknown>
}

/** A collector of traces on 127.0.0.1 that takes OTLP as JSON over HTTP. */
export interface Collector {
  url: string
  /** In the order of their arrival. */
  spans: CollectedSpan[]
  /** The received bodies, to search in. */
  bodies: string[]
  headers: IncomingMessage['headers'][]
  /** Waits for matching spans. */
  find(description: string, fits: (span: CollectedSpan) => boolean, count?: number): Promise<CollectedSpan[]>
  close(): Promise<void>
}

/** Starts a collector. `respond` replaces its response. */
export async function startCollector(respond: (response: ServerResponse) => void = accept): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const bodies: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    bodies.push(`${request.method} ${request.url} ${body}`)
    headers.push(request.headers)
    if (request.headers['content-type'] === 'application/json') spans.push(...spansOf(JSON.parse(body)))
    respond(response)
  }
  const server = createServer((request, response) => void take(request, response))
  const url = await listen(server)
  return {
    url,
    spans,
    bodies,
    headers,
    find: async (description, fits, count = 1) => {
      await until(() => spans.filter(fits).length >= count, `${description} among ${spans.map(({ name }) => name).join(', ')}`)
      return spans.filter(fits)
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const accept = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
}

interface KeyValue {
  key: string
  value: { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean }
}

interface OtlpSpan extends Omit<CollectedSpan, 'attributes' | 'links' | 'startMs' | 'endMs' | 'resource' | 'statusCode'> {
  attributes: KeyValue[]
  links?: { traceId: string; spanId: string }[]
  startTimeUnixNano: string
  endTimeUnixNano: string
  status: { code: number }
}

interface OtlpRequest {
  resourceSpans: { resource: { attributes: KeyValue[] }; scopeSpans: { spans: OtlpSpan[] }[] }[]
}

function spansOf({ resourceSpans }: OtlpRequest): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes, links, startTimeUnixNano, endTimeUnixNano, status, ...span }) => ({
        ...span,
        statusCode: status.code,
        attributes: valuesOf(attributes),
        links: links ?? [],
        startMs: Number(startTimeUnixNano) / 1e6,
        endMs: Number(endTimeUnixNano) / 1e6,
        resource: valuesOf(resource.attributes),
      })),
    ),
  )
}

function valuesOf(attributes: KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ??
        value.doubleValue ??
        value.boolValue ??
        (value.intValue === undefined ? undefined : Number(value.intValue)),
    ]),
  )
}
