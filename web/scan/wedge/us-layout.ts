/** What a key gives on a US keyboard, without and with Shift. */
const KEYS: Record<string, string> = {
  Space: '  ',
  Minus: '-_',
  Equal: '=+',
  BracketLeft: '[{',
  BracketRight: ']}',
  Backslash: '\\|',
  Semicolon: ';:',
  Quote: '\'"',
  Backquote: '`~',
  Comma: ',<',
  Period: '.>',
  Slash: '/?',
  NumpadDecimal: '..',
  NumpadSubtract: '--',
  NumpadAdd: '++',
  NumpadMultiply: '**',
  NumpadDivide: '//',
  ...Object.fromEntries(Array.from(')!@#$%^&*(', (shifted, digit) => [`Digit${digit}`, `${digit}${shifted}`])),
  ...Object.fromEntries(Array.from('0123456789', (digit) => [`Numpad${digit}`, digit + digit])),
  ...Object.fromEntries(Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ', (letter) => [`Key${letter}`, letter.toLowerCase() + letter])),
}

/** The character of a key on a US keyboard, which most scanners imitate; undefined for a key without one. */
export function usCharacter(code: string, isShifted: boolean): string | undefined {
  return KEYS[code]?.[isShifted ? 1 : 0]
}
