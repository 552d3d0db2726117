import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './shell-blocks.ts'

const read = (name: string): Promise<string> => readFile(path.join(ROOT, name), 'utf8')

interface LockedPackage {
  dev?: boolean
  engines?: { node?: string }
}

/** The lowest version in a range such as `>=22.19.0` or `^20.19 || >=22.12`. */
function lowest(range: string): number {
  const numbers = [...range.matchAll(/(\d+)(?:\.(\d+))?/g)].map(([, major, minor = '0']) => Number(major) * 1_000 + Number(minor))
  return Math.min(...numbers)
}

it('the server’s Node version fits its packages and is the same on every page', async () => {
  const { engines } = JSON.parse(await read('package.json')) as { engines: { node: string } }
  const { packages } = JSON.parse(await read('package-lock.json')) as { packages: Record<string, LockedPackage> }
  const needed = Object.entries(packages).filter(
    ([name, { dev, engines: own }]) => name.startsWith('node_modules/') && !dev && own?.node,
  )
  expect(needed.length).toBeGreaterThan(20)
  const tooNew = needed.filter(([, { engines: own }]) => lowest(own?.node ?? '') > lowest(engines.node)).map(([name]) => name)
  expect(tooNew).toEqual([])

  const version = engines.node.replace('>=', '')
  for (const name of ['README.md', 'docs/operating.md', 'server/bin/require-node.js']) {
    const named = [...(await read(name)).matchAll(/Node (\d+\.\d+)/g)].map(([, number]) => number)
    expect([name, ...new Set(named)]).toEqual([name, version])
  }
})
