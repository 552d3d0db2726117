/** A documentation comment, or an empty string for an empty text. */
export function jsDoc(text: string, indent = ''): string {
  const lines = text.trim().replaceAll('*/', '*\\/').split('\n')
  if (lines[0] === '') return ''
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */\n`].join('\n')
}
