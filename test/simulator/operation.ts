import type { ClientState } from './client-state.ts'
import type { Random } from './random.ts'

/** The `data` of an answer: the model reads ids from it, and whatever else the service is free to choose. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Data = any

export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  body?: unknown
  /** Set if the call goes to `/mcp`, as one of this tool. */
  tool?: { name: string; arguments: object }
}

/** What the model says of an answer: refused with one of these codes, or successful with at least this data. */
export type Expected = { refused: string | readonly string[] } | { data: unknown }

/** A client that has made a call, and looks what came of it. */
export interface Reader {
  state: ClientState
  /** The answer to a read, from any server, as soon as there is one. With the value of another key, for that key. */
  read(path: string, key?: string): Promise<{ status: number; body: Data }>
  /** Lets the model change by itself, and expects the events of reservations that changed. */
  settle(change: () => void): void
  /** Ends the simulation with a finding. */
  found(what: string): never
}

/** A generator of calls of one operation of the document, and what the specification says of their answers. */
export interface Operation<Input = Data> {
  /** The `operationId` in the document. */
  id: string
  /** How often it is drawn, compared to others. */
  weight: number
  /**
   * Draws a call, or undefined if the client has nothing to call it on. The input names records by the number that the client gave them, so
   * that a shorter history can be played again to a new tenant.
   */
  draw: (client: ClientState, random: Random) => Input | undefined
  /** The request, or undefined if a record of the input does not exist, in a shortened history. */
  request: (client: ClientState, input: Input) => Request | undefined
  /**
   * Changes the model as a successful call does, and says what its answer must be. `data` is that of the answer, `{ refused: code }` of a
   * refusal, or undefined if the answer was lost and the call is taken to have happened. A refused call leaves the model as it is.
   */
  expect: (client: ClientState, input: Input, data: Data) => Expected
  /** The model needs the answer: a lost one is asked for again with the same Idempotency-Key, never guessed. */
  makesRecord?: true
  /** What must be seen of the call once it has succeeded, with further calls: the client makes no others meanwhile. */
  afterwards?: (client: Reader, input: Input, data: Data) => Promise<void>
  /** The records are shared with other clients: checked at quiet points, so that a lost answer holds nobody up. */
  isShared?: true
  /** Reservations change without events. */
  isSilent?: true
  /** The answer is only checked to be a success that fits the document. */
  isUnchecked?: true
}

export const refused = (...codes: string[]): Expected => ({ refused: codes })
export const ok = (data: unknown = {}): Expected => ({ data })

/** The record that the client numbered so. */
export const numbered = <T extends { n: number }>(records: readonly T[], n: number): T | undefined =>
  records.find((record) => record.n === n)

/** The records that the client numbered so, or undefined if one of them does not exist. */
export function allNumbered<T extends { n: number }>(records: readonly T[], numbers: readonly number[]): T[] | undefined {
  const found = numbers.map((n) => numbered(records, n))
  return found.includes(undefined) ? undefined : (found as T[])
}

/** An operation with the type of its input. */
export const operation = <Input>(definition: Operation<Input>): Operation => definition
