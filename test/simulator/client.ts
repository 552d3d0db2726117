import { setTimeout as delay } from 'node:timers/promises'
import { fetch, type Dispatcher, type Response } from 'undici'
import type { DocumentedResponses } from '../support/fits-document.ts'
import { emitReservations, statusesOf, type ClientState } from './client-state.ts'
import { difference } from './difference.ts'
import type { Data, Operation, Reader, Request } from './operation.ts'
import type { Random } from './random.ts'
import { answerOfTool, toolMessage, type Tools } from './tools.ts'

const NO_ANSWER_MS = 20_000
const GIVES_UP_MS = 120_000
const DRAWS = 500
const KEPT_ANSWERS = 20
/** Calls of each client on shared records, at the beginning of a round. */
const RUSH = 8
/** Part of the calls that are made over MCP. */
const BY_TOOL = 0.06

/** A call of a history. */
export interface Step {
  operation: Operation
  input: Data
  /** Without one, a lost answer is never asked for again. */
  hasKey: boolean
  /** Made over MCP, if agents have a tool for it. */
  byTool?: boolean
}

/** What a client can reach, and how it checks answers. */
export interface Surroundings {
  /** The addresses of the servers, through bad networks. */
  urls: readonly string[]
  dispatcher: Dispatcher
  documented: DocumentedResponses
  tools: Tools
  operations: readonly Operation[]
}

interface Answer {
  status: number
  isReplayed: boolean
  /** A call with the key is still being made. */
  isRunning: boolean
  body: Data
}

interface KeptAnswer {
  request: Request
  idempotencyKey: string
  data: Data
}

/** The service did something that the specification does not allow. */
export class Finding extends Error {
  readonly client: Client | undefined

  constructor(message: string, client?: Client) {
    super(message)
    this.client = client
  }
}

/** Makes one call after the other, and holds each answer against the model of its own records. */
export class Client implements Reader {
  readonly state: ClientState
  readonly history: Step[] = []
  /** The ids of the successful writes that the audit log must have. */
  readonly audited: string[] = []
  /** A call without an Idempotency-Key whose answer was lost. Until it is known whether it happened, the client makes no further one. */
  pending: Step | undefined
  readonly #surroundings: Surroundings
  readonly #random: Random
  readonly #kept: KeptAnswer[] = []
  #calls = 0

  constructor(state: ClientState, surroundings: Surroundings, random: Random) {
    this.state = state
    this.#surroundings = surroundings
    this.#random = random
  }

  /** Makes calls until the time is over, or an answer is lost that it cannot ask for again. */
  async work(isOver: () => boolean, pauseMs: number): Promise<void> {
    await this.#rush()
    while (!isOver() && this.pending === undefined) {
      const step = this.#draw()
      if (step === undefined) throw new Error('no operation can be drawn')
      await this.perform(step)
      if (this.#random.chance(0.05)) await this.replay()
      if (pauseMs > 0) await delay(pauseMs * 2 * this.#random.next())
    }
  }

  /** All clients begin with calls on what they share, so that these meet. */
  async #rush(): Promise<void> {
    const shared = this.#surroundings.operations.filter(({ isShared }) => isShared === true)
    for (let call = 0; call < RUSH; call++) {
      const step = this.#draw(shared)
      if (step !== undefined) await this.perform(step)
    }
  }

  #draw(operations = this.#surroundings.operations): Step | undefined {
    for (let draw = 0; draw < DRAWS; draw++) {
      const operation = this.#random.weighted(operations, ({ weight }) => weight)
      const input = operation.draw(this.state, this.#random)
      const hasKey = operation.makesRecord === true || this.#random.chance(0.75)
      if (input !== undefined) return { operation, input, hasKey, byTool: this.#random.chance(BY_TOOL) }
    }
    return undefined
  }

  /** Does nothing if a record of the call does not exist, in a shortened history. */
  async perform(step: Step): Promise<void> {
    const plain = step.operation.request(this.state, step.input)
    if (plain === undefined) return
    const request = (step.byTool === true ? this.#surroundings.tools.callOf(step.operation.id, plain) : undefined) ?? plain
    this.history.push(step)
    const name = `${this.state.name}-call-${++this.#calls}`
    const answer = await this.#send(request, name, request.method !== 'GET' && step.hasKey ? name : undefined)
    if (answer === undefined && step.operation.isShared !== true) {
      this.pending = step
      return
    }
    const isRefused = answer !== undefined && answer.status !== 200
    this.accept(step, isRefused ? { refused: answer.body.error.code } : answer?.body.data)
    if (answer?.status !== 200 || request.method === 'GET') return
    if (!request.path.endsWith('/check')) this.audited.push(name)
    if (step.hasKey) this.#kept.push({ request, idempotencyKey: name, data: answer.body.data })
    if (this.#kept.length > KEPT_ANSWERS) this.#kept.shift()
    await step.operation.afterwards?.(this, step.input, answer.body.data)
  }

  async read(path: string, key = this.state.key): Promise<{ status: number; body: Data }> {
    const answer = await this.#send({ method: 'GET', path }, `${this.state.name}-read-${++this.#calls}`, undefined, key)
    return answer as Answer
  }

  settle(change: () => void): void {
    const before = statusesOf(this.state)
    change()
    emitReservations(this.state, before)
  }

  found(what: string): never {
    throw new Finding(what, this)
  }

  /** Holds the answer against the model, which goes on to the state after the call. Without data, the call is taken to have succeeded. */
  accept({ operation, input }: Step, data: Data): void {
    const before = statusesOf(this.state)
    const expected = operation.expect(this.state, input, data)
    if (operation.isSilent !== true) emitReservations(this.state, before)
    if (data === undefined) return
    const what = `${operation.id} ${JSON.stringify(input)}`
    const { refused } = data as { refused?: string }
    if ('refused' in expected) {
      const codes = [expected.refused].flat()
      if (refused === undefined) throw new Finding(`${what}: expected ${codes.join(' or ')}, got ${JSON.stringify(data)}`, this)
      if (!codes.includes(refused)) throw new Finding(`${what}: expected ${codes.join(' or ')}, got ${refused}`, this)
      return
    }
    if (refused !== undefined) throw new Finding(`${what}: expected a success, got ${refused}`, this)
    const found = difference(expected.data, data)
    if (found !== undefined) throw new Finding(`${what}: ${found}`, this)
  }

  /** Takes part in a call that another client of the tenant has made. */
  follow(step: Step): void {
    this.history.push(step)
    this.accept(step, undefined)
  }

  /** Takes the lost call to have happened. */
  acceptPending(): void {
    const step = this.pending as Step
    this.pending = undefined
    this.accept(step, undefined)
  }

  /** Makes a call again that had an Idempotency-Key: the answer must be the first one. With another body, it is a conflict. */
  async replay(): Promise<void> {
    const kept = this.#random.one(this.#kept)
    if (kept === undefined) return
    const { request, idempotencyKey, data } = kept
    const what = `${request.method} ${request.path} again`
    const again = await this.#send(request, `${idempotencyKey}-again`, idempotencyKey)
    if (again?.status !== 200 || !again.isReplayed)
      throw new Finding(`${what}: expected a kept answer, got ${JSON.stringify(again)}`, this)
    // Nothing may be missing, and nothing new.
    const found = difference(data, again.body.data) ?? difference(again.body.data, data)
    if (found !== undefined) throw new Finding(`${what}: ${found}`, this)
    const more = { unheard_of: true, quantity: 987_654 }
    const other = {
      ...request,
      body: { ...(request.body as object), ...more },
      ...(request.tool && { tool: { ...request.tool, arguments: { ...request.tool.arguments, ...more } } }),
    }
    if (request.body === undefined || !this.#random.chance(0.3) || Array.isArray(request.body)) return
    const conflict = await this.#send(other, `${idempotencyKey}-other`, idempotencyKey)
    if (conflict?.body.error?.code !== 'idempotency_conflict' && conflict?.isReplayed !== true)
      throw new Finding(`${what} with another body: expected idempotency_conflict, got ${JSON.stringify(conflict)}`, this)
  }

  /** Undefined if the answer was lost, and the call cannot be made again. */
  async #send(
    request: Request,
    requestId: string,
    idempotencyKey: string | undefined,
    key = this.state.key,
  ): Promise<Answer | undefined> {
    const isRepeatable = request.method === 'GET' || idempotencyKey !== undefined
    const givesUpAt = Date.now() + GIVES_UP_MS
    for (;;) {
      const answer = await this.#sendOnce(request, requestId, idempotencyKey, key)
      const isRunning = answer?.status === 409 && answer.isRunning
      if (answer !== undefined && answer.status !== 503 && !isRunning) {
        if (answer.status >= 500) throw new Finding(`${request.method} ${request.path}: ${JSON.stringify(answer)}`, this)
        return answer
      }
      if (!isRepeatable) return undefined
      if (Date.now() > givesUpAt)
        throw new Finding(`${request.method} ${request.path}: no answer: ${JSON.stringify(answer)}`, this)
      await delay(50 + 200 * this.#random.next())
    }
  }

  async #sendOnce(
    request: Request,
    requestId: string,
    idempotencyKey: string | undefined,
    key: string,
  ): Promise<Answer | undefined> {
    const { urls, dispatcher, documented } = this.#surroundings
    const { method, path, tool } = request
    const isTool = tool !== undefined
    const body = isTool ? toolMessage(requestId, tool, idempotencyKey) : request.body
    let response: Response
    let text: string
    try {
      response = await fetch(`${this.#random.one(urls)}${isTool ? '/mcp' : `/api/v1${path}`}`, {
        method: isTool ? 'POST' : method,
        dispatcher,
        signal: AbortSignal.timeout(NO_ANSWER_MS),
        headers: {
          'x-api-key': key,
          'x-request-id': requestId,
          ...(isTool ? { accept: 'application/json, text/event-stream' } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined || isTool ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      text = await response.text()
    } catch {
      return undefined
    }
    const { status, headers } = response
    const isReplayed = headers.get('idempotency-replayed') === 'true'
    const plain = { status, isRunning: headers.has('retry-after'), body: JSON.parse(text) }
    const told = isTool && status === 200 ? answerOfTool(requestId, plain.body) : plain
    if (told === undefined) throw new Finding(`${tool?.name}: no result of the tool: ${text}`, this)
    try {
      // A tool does not tell the status of a failure.
      if (!isTool || told.status === 200) documented.assertFits(method, path, told)
    } catch (error) {
      throw new Finding((error as Error).message, this)
    }
    return { ...told, isReplayed }
  }
}
