/** Control characters but line feeds. */
const CONTROL = /[^\P{Cc}\n]/gu

/** A text for a terminal. Names are those of tenants and of files, and an escape sequence in one could change what the terminal shows. */
export function printable(text: string): string {
  return text.replaceAll(CONTROL, '\uFFFD')
}
