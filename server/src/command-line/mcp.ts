import type { Command } from 'commander'
import { addApiOptions, type ApiOptions, requiredKey, requireValid } from './api-client.ts'
import { MessageRelay } from './mcp/message-relay.ts'
import { linesOf } from './text-lines.ts'

interface McpOptions extends ApiOptions {
  readOnly?: boolean
  tools?: string
}

export function addMcpCommand(program: Command): void {
  addApiOptions(program.command('mcp'))
    .description('Serve agents on this machine: the Model Context Protocol over standard input and output')
    .option('--read-only', 'only tools that change nothing')
    .option('--tools <sections>', 'only tools of these sections of the API, separated by commas: orders,stock')
    .action(serveStandardInput)
}

/** Relays each line of standard input to the server, until it ends. Standard output has nothing but responses. */
async function serveStandardInput(options: McpOptions): Promise<void> {
  requireValid(options)
  const relay = new MessageRelay({ url: addressOf(options), apiKey: requiredKey(options) })
  const respond = async (line: string): Promise<void> => {
    const response = await relay.relay(line)
    if (response !== undefined) process.stdout.write(`${response}\n`)
  }
  const running = new Set<Promise<void>>()
  for await (const line of linesOf(process.stdin.setEncoding('utf8'))) {
    if (line.trim() === '') continue
    const response = respond(line).finally(() => running.delete(response))
    running.add(response)
    // The first response has the revision of the protocol, which the requests after it name.
    if (line.includes('"initialize"')) await response
  }
  await Promise.all(running)
}

function addressOf({ url, readOnly, tools }: McpOptions): URL {
  const address = new URL(url)
  // As the SDK reads it: a path prefix is kept, that of the API is not.
  address.pathname = `${address.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/mcp`
  if (readOnly === true) address.searchParams.set('read_only', 'true')
  if (tools !== undefined) address.searchParams.set('tools', tools)
  return address
}
