import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import path from 'node:path'

/** How often the file is checked for changes. */
const LOOK_EVERY_MS = 1_000

const HOSTS_FILE =
  process.platform === 'win32'
    ? path.join(process.env.SystemRoot ?? String.raw`C:\Windows`, String.raw`System32\drivers\etc\hosts`)
    : '/etc/hosts'

/** The current names of a hosts file, read without the process's I/O threads. */
export class HostsFile {
  readonly #file: string
  #version = ''
  #names = new Map<string, string[]>()
  #lookedAt = -Infinity

  constructor(file: string = HOSTS_FILE) {
    this.#file = file
  }

  /** The addresses of a name in lower case, or undefined when the file does not contain it. */
  addressesOf(name: string): string[] | undefined {
    if (performance.now() - this.#lookedAt >= LOOK_EVERY_MS) this.#look()
    return this.#names.get(name)
  }

  #look(): void {
    this.#lookedAt = performance.now()
    const { mtimeMs, size, ino } = statSync(this.#file, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0, ino: 0 }
    const version = `${mtimeMs} ${size} ${ino}`
    if (version === this.#version) return
    this.#version = version
    this.#names = size === 0 ? new Map() : namesOf(readFileSync(this.#file, 'utf8'))
  }
}

function namesOf(text: string): Map<string, string[]> {
  const addresses = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names.map((each) => each.toLowerCase())) addresses.set(name, [...(addresses.get(name) ?? []), address])
  }
  return addresses
}
