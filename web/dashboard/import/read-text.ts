import { t } from '../../shared/texts/texts.ts'
import { FileProblem } from './file-problem.ts'
import { Fingerprint } from './fingerprint.ts'

const MAX_MEBIBYTES = 50
const MAX_BYTES = MAX_MEBIBYTES * 1_048_576

/** The text of a file. */
export interface FileText {
  name: string
  /** With `\n` at the end of each line. */
  text: string
  /** Equal for files with equal content. */
  fingerprint: string
}

/**
 * Reads a file as UTF-8 text without a byte order mark, piece by piece, so that the page stays usable. Throws `FileProblem` for a file that
 * is too large or no text of that encoding.
 */
export async function readText(file: File, signal: AbortSignal): Promise<FileText> {
  if (file.size > MAX_BYTES) throw new FileProblem(t.import.tooLarge(MAX_MEBIBYTES))
  const pieces: string[] = []
  const fingerprint = new Fingerprint()
  for await (const piece of decoded(file)) {
    signal.throwIfAborted()
    if (piece.includes('\0')) throw new FileProblem(t.import.notCsv)
    fingerprint.add(piece)
    pieces.push(piece)
  }
  return { name: file.name, text: pieces.join(''), fingerprint: `${file.size}-${fingerprint.text}` }
}

async function* decoded(file: File): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const reader = file.stream().getReader()
  let held = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const text = held + decoder.decode(value, { stream: !done })
      // What ends with \r may go on with \n.
      held = !done && text.endsWith('\r') ? '\r' : ''
      yield text.slice(0, text.length - held.length).replaceAll(/\r\n?/g, '\n')
      if (done) return
    }
  } catch (error) {
    // The decoder's error for bytes that are not UTF-8.
    if (error instanceof TypeError) throw new FileProblem(t.import.notUtf8)
    if (error instanceof DOMException) throw new FileProblem(t.import.unreadable)
    throw error
  } finally {
    // It rejects with the error of a stream that has failed, which would take the place of the one that is thrown.
    await reader.cancel().catch(() => undefined)
  }
}
