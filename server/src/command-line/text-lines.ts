import type { Readable } from 'node:stream'

/**
 * Splits text into lines of bounded length, at line feeds alone. readline also splits at U+2028 and U+2029, which texts in JSON can contain, and would
 * read a line of any length into memory.
 */
export async function* linesOf(text: Readable, mostCharacters = Infinity): AsyncGenerator<string> {
  let rest = ''
  let line = 1
  for await (const chunk of text as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const complete of lines) {
      yield complete
      line++
    }
    if (rest.length > mostCharacters) throw new Error(`Line ${line}: is longer than ${mostCharacters} characters`)
  }
  if (rest !== '') yield rest
}
