import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { ROOT } from './shell-blocks.ts'

/** A file name in the code of a page, such as `http/rest.ts`; neither a pattern such as `picking/*.ts` nor a URL path of the server. */
const FILE = /`(\w(?:[\w.-]|\/)*\.(?:ts|js|sql|sh|cfg|service|yaml))`/g

let files: string[]
beforeAll(async () => {
  const { stdout } = await promisify(execFile)('git', [
    '-C',
    ROOT,
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
  ])
  files = stdout.split('\0').filter((name) => name !== '')
})

const read = (page: string): Promise<string> => readFile(path.join(ROOT, page), 'utf8')

/** A path is relative to the root or to the server's sources. A file name without a folder may be in any folder. */
function exists(named: string): boolean {
  if (!named.includes('/')) return files.some((file) => path.basename(file) === named)
  return files.includes(named) || files.includes(`server/src/${named}`)
}

it('all file names in the pages exist', async () => {
  const pages = files.filter((file) => /^(README|SECURITY|docs\/.+)\.md$/.test(file))
  const named = await Promise.all(
    pages.map(async (page) => [...(await read(page)).matchAll(FILE)].map(([, file = '']) => ({ page, file }))),
  )
  expect(named.flat().length).toBeGreaterThan(150)
  expect(named.flat().filter(({ file }) => !exists(file))).toEqual([])
})

it('all images of the pages exist and are small', async () => {
  const pages = files.filter((file) => file.endsWith('.md'))
  const images = await Promise.all(
    pages.map(async (page) =>
      [...(await read(page)).matchAll(/(?:\]\(|src(?:set)?=")([\w./-]+\.(?:webp|png|svg))/g)].map(([, image = '']) =>
        path.posix.join(path.posix.dirname(page), image),
      ),
    ),
  )
  const named = [...new Set(images.flat())]
  expect(named.length).toBeGreaterThanOrEqual(4)
  expect(files.filter((file) => file.startsWith('docs/images/') && !named.includes(file))).toEqual([])
  for (const image of named) expect((await stat(path.join(ROOT, image))).size, image).toBeLessThan(60_000)
})

it('the tests that SECURITY.md names by title exist', async () => {
  const security = await read('SECURITY.md')
  const titles = [...security.matchAll(/"([^"]+)"/g)].flatMap(([, title = '']) => title.split('…')).map((part) => part.trim())
  const tests = await Promise.all(files.filter((file) => file.endsWith('.test.ts')).map(read))
  expect(titles.length).toBeGreaterThan(20)
  expect(titles.filter((title) => !tests.some((text) => text.includes(title.replaceAll(/\s+/g, ' '))))).toEqual([])
})

it('the package of the SDK has the licence of the project, which npm takes from its folder alone', async () => {
  expect(await read('sdk/LICENSE')).toBe(await read('LICENSE'))
})

it('the README has a line for every folder', async () => {
  const readme = await read('README.md')
  const table = readme.slice(readme.indexOf('## Folders'))
  const named = new Set([...table.matchAll(/`([\w./-]+)`/g)].map(([, name]) => name))
  const foldersIn = (parent: string): string[] => [
    ...new Set(
      files.filter((file) => file.startsWith(parent)).flatMap((file) => /^([^/]+)\//.exec(file.slice(parent.length))?.[1] ?? []),
    ),
  ]
  const top = foldersIn('').filter((folder) => folder !== 'server')
  const ours = [...foldersIn('server/src/'), ...foldersIn('server/src/domain/')].filter((folder) => folder !== 'domain')
  expect(ours.length).toBeGreaterThan(15)
  expect([...top, ...ours].filter((folder) => !named.has(folder))).toEqual([])
})
