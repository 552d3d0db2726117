import { code128, drawingSVG, qrcode } from 'bwip-js/generic'

export type SymbolKind = 'qr' | 'code128'

const LONG = 14

/** A symbol that scanners read, black on white with its quiet zone, as the address of an SVG image. */
export function symbolUrl(kind: SymbolKind, text: string): string {
  const svg =
    kind === 'qr'
      ? qrcode({ bcid: 'qrcode', text, scale: 2, padding: 8, ...ON_WHITE }, drawingSVG())
      : code128({ bcid: 'code128', text, height: 12, scale: moduleOf(text), paddingwidth: 10, ...ON_WHITE }, drawingSVG())
  return `data:image/svg+xml,${encodeURIComponent(sized(svg))}`
}

// Also where the page is dark: few scanners read white on black.
const ON_WHITE = { backgroundcolor: 'FFFFFF' }

/** The width of the narrowest bar in px: 0.53 mm in print, or half of it for a text that needs many bars. */
const moduleOf = (text: string): number => (text.length < LONG ? 2 : 1)

/** The image with its size: bars that are not drawn at whole pixels are blurred. */
function sized(svg: string): string {
  return svg.replace(/^<svg viewBox="0 0 (\d+) (\d+)"/, (all, width: string, height: string) =>
    all.replace('<svg', `<svg width="${width}" height="${height}"`),
  )
}
