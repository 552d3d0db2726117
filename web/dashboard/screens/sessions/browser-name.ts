// The first that matches: Edge and Opera name Chrome too, Chrome names Safari too.
const BROWSERS: readonly [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)[\d.]* .*Safari\//],
]
const SYSTEMS: readonly [name: string, pattern: RegExp][] = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux|X11/],
]

/** "Chrome 153, Linux"; undefined for what is no known browser. */
export function browserName(userAgent: string): string | undefined {
  for (const [name, pattern] of BROWSERS) {
    const version = pattern.exec(userAgent)?.[1]
    const system = SYSTEMS.find(([, systemPattern]) => systemPattern.test(userAgent))?.[0]
    if (version !== undefined) return [`${name} ${version}`, system].filter((part) => part !== undefined).join(', ')
  }
  return undefined
}
