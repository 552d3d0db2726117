import { Client, StreamableHTTPClientTransport, type jsonSchemaValidator } from '@modelcontextprotocol/client'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { send, type RequestOptions, type ServiceResponse, type TestTenant } from './service.ts'

/** A client of the Model Context Protocol, connected to a server. */
export interface Agent {
  client: Client
  /** The `data` of a successful call. Throws when the call fails. */
  call(tool: string, args?: Record<string, unknown>): Promise<Record<string, never>>
  /** The error of a failed call, as the model reads it. Throws when the call succeeds. */
  failure(tool: string, args?: Record<string, unknown>): Promise<{ code: string; message: string; details?: unknown[] }>
  close(): Promise<void>
}

const ajv = new AjvJsonSchemaValidator()
const compiled = new Map<string, ReturnType<jsonSchemaValidator['getValidator']>>()

/** The client's own validator, which compiles each schema once for all clients: compiling takes most of the time of a call. */
const validator: jsonSchemaValidator = {
  getValidator: <T>(schema: Parameters<jsonSchemaValidator['getValidator']>[0]) => {
    const text = JSON.stringify(schema)
    const known = compiled.get(text) ?? ajv.getValidator(schema)
    compiled.set(text, known)
    return known as ReturnType<typeof ajv.getValidator<T>>
  },
}

/** Connects the client of the protocol's own SDK. It holds each result against the schema of its tool. `query` is that of the address. */
export async function connectAgent({ url, key }: Pick<TestTenant, 'url' | 'key'>, query = ''): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' }, { jsonSchemaValidator: validator })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`), { requestInit }))
  return agentOf(client)
}

/** An agent that uses a connected client. */
export function agentOf(client: Client): Agent {
  const textOf = async (name: string, args: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: args })
    const [block] = result.content as { text: string }[]
    return { isError: result.isError === true, text: block?.text ?? '', data: result.structuredContent }
  }
  return {
    client,
    call: async (name, args = {}) => {
      const { isError, text, data } = await textOf(name, args)
      if (isError) throw new Error(`${name}: ${text}`)
      return data as Record<string, never>
    },
    failure: async (name, args = {}) => {
      const { isError, text } = await textOf(name, args)
      if (!isError) throw new Error(`${name} succeeded: ${text}`)
      return JSON.parse(text)
    },
    close: () => client.close(),
  }
}

/** POSTs one message to /mcp, without a client. */
export function postMessage(
  { url }: Pick<TestTenant, 'url'>,
  message: unknown,
  options: RequestOptions & { query?: string } = {},
): Promise<ServiceResponse> {
  return send(`${url}/mcp${options.query ?? ''}`, 'POST', message, options)
}

/** A request of a tool. */
export const toolRequest = (name: string, args: Record<string, unknown> = {}, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})
