import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A block of shell commands in a page. */
export interface ShellBlock {
  /** `docs/backup.md:5` */
  where: string
  commands: string
  /** Why no test can run the block, from the comment before it; undefined if it is run. */
  notRun: string | undefined
}

const FENCE = /^```(\S*)$/
const NOT_RUN = /^<!-- not run by the tests: (.+) -->$/
/** Other language names for shell blocks. They are errors, because only `sh` blocks are found. */
const OTHER_SHELLS = new Set(['bash', 'shell', 'console', 'zsh', 'shell-session'])

/** The pages with commands, in reading order. */
export async function pages(): Promise<string[]> {
  const docs = (await readdir(path.join(ROOT, 'docs'))).filter((name) => name.endsWith('.md')).toSorted()
  return ['README.md', ...docs.map((name) => `docs/${name}`), 'sdk/README.md']
}

/** The shell blocks of a page, in order. */
export async function shellBlocks(page: string): Promise<ShellBlock[]> {
  const lines = (await readFile(path.join(ROOT, page), 'utf8')).split('\n')
  const blocks: ShellBlock[] = []
  for (let line = 0; line < lines.length; line++) {
    const language = FENCE.exec(lines[line] ?? '')?.[1]
    if (language === undefined) continue
    const end = lines.indexOf('```', line + 1)
    const where = `${page}:${line + 1}`
    if (OTHER_SHELLS.has(language)) throw new Error(`${where}: write sh, as the other blocks do, not ${language}`)
    if (language === 'sh') {
      const notRun = NOT_RUN.exec(lines[line - 1] ?? '')?.[1]
      blocks.push({ where, commands: lines.slice(line + 1, end).join('\n'), notRun })
    }
    line = end
  }
  return blocks
}
