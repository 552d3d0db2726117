import type { Endpoint } from '../procedures/endpoint.ts'

/** Converts a description of the document into one of a tool. */
export type ToolText = (description: string) => string

const LINK = /\[([^\]]+)\]\(#[^)]*\)/g
const OPERATION = /`((?:GET|POST|PUT|DELETE) \/[^`\s]*)`/g
const REPETITION = / Repeat the parameter for (several \w+): `[^`]*`\./g

/** Names tools instead of requests, and lists instead of repeated parameters. `tools` are the endpoints by the name of their tool. */
export function toolTexts(tools: ReadonlyMap<string, Endpoint>): ToolText {
  const names = new Map([...tools].map(([name, { method, path }]) => [`${method} ${path}`, `\`${name}\``]))
  return (description) =>
    description
      .replaceAll(LINK, '$1')
      .replaceAll(OPERATION, (request, operation: string) => names.get(operation) ?? request)
      .replaceAll(REPETITION, ' The list can have $1.')
}

/** Converts the message of a failure, which names parts of a request, into one that names arguments. */
export const failureText = (message: string): string =>
  message.replace(/^Path parameter /, '').replace('Idempotency-Key', 'idempotency_key')
