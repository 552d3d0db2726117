import { isTurnOver, nextTurn } from '../../runtime/event-loop/turns.ts'
import { MAX_DEPTH, MAX_ITEMS, mostContainers, TOO_DEEP, TOO_MANY_CONTAINERS, TOO_MANY_ITEMS } from './json-limits.ts'

/** Size of the text parsed in one turn. The slowest text, with names that never repeat, takes three milliseconds. */
const PIECE_BYTES = 32_768

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** An array or object that is not closed yet. */
interface Container {
  isArray: boolean
  items: number
  start: number
  /** Start of the latest string among its own names and items. */
  latestString: number
  /** Start of the text that is not parsed yet. */
  from: number
  /** Its parsed part; undefined while it is small. */
  value: unknown[] | Record<string, unknown> | undefined
  /** After an item that was parsed separately, nothing may follow until the next comma. */
  isBehindItem: boolean
}

/** A syntax error, with a message for the client. */
export class JsonError extends Error {}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses JSON like `JSON.parse`, in turns of the event loop: 5 MB can take a third of a second. One pass over the bytes finds positions
 * between items at which the text can be split. `JSON.parse` parses the parts. Throws `JsonError`.
 */
export async function parseJsonInTurns(json: Uint8Array): Promise<unknown> {
  const parser = new PiecewiseParser(json)
  do {
    await nextTurn()
  } while (!parser.goOn())
  return parser.result()
}

const containerAt = (start: number, isArray: boolean, items: number): Container => ({
  isArray,
  items,
  start,
  latestString: start,
  from: start + 1,
  value: undefined,
  isBehindItem: false,
})

class PiecewiseParser {
  readonly #json: Uint8Array
  /** The root, and all containers that are open at the current byte. */
  readonly #open: Container[] = [containerAt(-1, true, 0)]
  #at = 0
  #isInString = false
  #containers = 0

  constructor(json: Uint8Array) {
    this.#json = json
  }

  /** Works until the end of the turn. Returns true at the end of the text. */
  goOn(): boolean {
    while (this.#at < this.#json.length) {
      const until = Math.min(this.#json.length, this.#at + PIECE_BYTES)
      while (this.#at < until) this.#step(until)
      if (isTurnOver()) return false
    }
    return true
  }

  result(): unknown {
    const [root] = this.#open as [Container]
    if (this.#open.length > 1 || this.#isInString) throw new JsonError('ends too early')
    this.#flush(root, this.#json.length)
    const values = root.value as unknown[]
    if (values.length !== 1) throw this.#failure(0, this.#json.length)
    return values[0]
  }

  #step(until: number): void {
    if (this.#isInString) return this.#passString(until)
    const byte = this.#json[this.#at] as number
    if (byte === QUOTE) this.#beginString()
    else if (byte === COMMA) this.#comma()
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) this.#begin(byte === OPEN_ARRAY)
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) return this.#close(byte === CLOSE_ARRAY)
    this.#at++
  }

  #beginString(): void {
    this.#isInString = true
    ;(this.#open.at(-1) as Container).latestString = this.#at
  }

  #passString(until: number): void {
    const json = this.#json
    let at = this.#at
    while (at < until && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
    this.#isInString = at >= until
    this.#at = this.#isInString ? at : at + 1
  }

  #begin(isArray: boolean): void {
    if (++this.#containers > mostContainers(this.#json.length)) throw new JsonError(TOO_MANY_CONTAINERS)
    if (this.#open.length > MAX_DEPTH) throw new JsonError(TOO_DEEP)
    this.#open.push(containerAt(this.#at, isArray, 1))
  }

  #comma(): void {
    const container = this.#open.at(-1) as Container
    if (container.items++ >= MAX_ITEMS) throw new JsonError(TOO_MANY_ITEMS)
    if (!container.isBehindItem && this.#at - container.from < PIECE_BYTES) return
    this.#flush(container, this.#at)
    container.from = this.#at + 1
  }

  /** A small container stays part of its parent's text. A large one is added to the parsed part of its parent. */
  #close(isArray: boolean): void {
    const closed = this.#open.at(-1) as Container
    if (this.#open.length === 1 || closed.isArray !== isArray) throw this.#failure(this.#at, this.#at + 1)
    if (closed.value === undefined) {
      this.#open.pop()
      this.#at++
      return
    }
    this.#flush(closed, this.#at)
    this.#open.pop()
    this.#putItem(this.#open.at(-1) as Container, closed)
    this.#at++
  }

  #putItem(container: Container, { start, value }: Container): void {
    if (container.isBehindItem) throw this.#failure(container.from, start)
    // A placeholder for the item, so that the text before it, including its name in an object, is checked.
    this.#append(container, container.from, start, 'null')
    if (container.isArray) (container.value as unknown[])[(container.value as unknown[]).length - 1] = value
    else put(container.value as Record<string, unknown>, this.#nameBefore(container, start), value)
    container.from = this.#at + 1
    container.isBehindItem = true
  }

  #nameBefore({ latestString }: Container, start: number): string {
    const text = this.#text(latestString, start)
    return JSON.parse(text.slice(0, text.lastIndexOf('"') + 1)) as string
  }

  /** Parses the text up to this position. */
  #flush(container: Container, until: number): void {
    if (!container.isBehindItem) this.#append(container, container.from, until, '')
    else if (this.#text(container.from, until).trim() !== '') throw this.#failure(container.from, until)
    container.isBehindItem = false
  }

  /** Adds the items of a text to the parsed part of a container. There must be at least one. */
  #append(container: Container, from: number, until: number, end: string): void {
    const text = this.#text(from, until) + end
    const parsed = this.#parse(container.isArray ? `[${text}]` : `{${text}}`, from, until)
    const names = Object.keys(parsed)
    if (names.length === 0) throw this.#failure(from, until)
    if (container.isArray) {
      const items = (container.value ??= []) as unknown[]
      for (const item of parsed as unknown[]) items.push(item)
    } else {
      const fields = (container.value ??= {}) as Record<string, unknown>
      for (const name of names) put(fields, name, (parsed as Record<string, unknown>)[name])
    }
  }

  #parse(text: string, from: number, until: number): object {
    try {
      return JSON.parse(text) as object
    } catch {
      throw this.#failure(from, until)
    }
  }

  #text(from: number, until: number): string {
    try {
      return utf8.decode(this.#json.subarray(from, until))
    } catch {
      throw new JsonError('is not valid UTF-8')
    }
  }

  #failure(from: number, until: number): JsonError {
    return new JsonError(`is not valid JSON between byte ${from} and byte ${until}`)
  }
}

/** Sets an own property, also for the name `__proto__`. */
function put(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
  else target[name] = value
}
