import type { Tool } from '@modelcontextprotocol/server'
import { isAllowed } from '../procedures/call-context.ts'
import type { Caller } from '../procedures/context.ts'
import type { Endpoint } from '../procedures/endpoint.ts'
import { beginWork, nextTurn } from '../runtime/event-loop/turns.ts'
import { loadOnce } from '../runtime/load-once.ts'
import { offeredEndpoints, sectionOf } from './offered-endpoints.ts'
import type { ToolFilter } from './tool-filter.ts'
import { toolOf } from './tool-of.ts'
import { toolTexts } from './tool-text.ts'

/** The tools of the service: the endpoints, as agents see them. */
export class ToolCatalog {
  /** The sections of the document, which `tools` can name. */
  readonly sections: readonly string[]
  readonly #endpoints: ReadonlyMap<string, Endpoint>
  readonly #tools = loadOnce(() => this.#makeTools())

  constructor(endpoints: readonly Endpoint[]) {
    this.sections = [...new Set(endpoints.map(sectionOf))]
    this.#endpoints = offeredEndpoints(endpoints)
  }

  /** The endpoint behind a tool; undefined if there is none of that name, or the filter leaves it out. */
  endpointOf(name: string, filter: ToolFilter): Endpoint | undefined {
    const endpoint = this.#endpoints.get(name)
    return endpoint !== undefined && filter(endpoint) ? endpoint : undefined
  }

  /** Whether a caller is shown a tool. */
  hasTool(name: string, caller: Caller, filter: ToolFilter): boolean {
    const endpoint = this.endpointOf(name, filter)
    return endpoint !== undefined && isAllowed(caller, endpoint)
  }

  /** The tools that a caller may call, in the order of the document. */
  async toolsFor(caller: Caller, filter: ToolFilter): Promise<Tool[]> {
    const tools = await this.#tools()
    const allowed = [...this.#endpoints].filter(([, endpoint]) => filter(endpoint) && isAllowed(caller, endpoint))
    return allowed.map(([name]) => tools.get(name) as Tool)
  }

  /** All schemas together take some 50 ms, so they are made in turns, and when a client first asks. */
  async #makeTools(): Promise<ReadonlyMap<string, Tool>> {
    const textOf = toolTexts(this.#endpoints)
    const tools = new Map<string, Tool>()
    const mustWait = beginWork()
    for (const [name, endpoint] of this.#endpoints) {
      if (mustWait()) await nextTurn()
      tools.set(name, toolOf(endpoint, textOf))
    }
    return tools
  }
}
