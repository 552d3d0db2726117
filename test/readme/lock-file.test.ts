import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './shell-blocks.ts'

interface LockedPackage {
  version?: string
  resolved?: string
  link?: boolean
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const { packages } = JSON.parse(await readFile(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>
}

/** Whether a package finds the other one in its own folder or in one above it. */
function finds(from: string, name: string): boolean {
  const own = packages[`${from === '' ? '' : `${from}/`}node_modules/${name}`]
  if (own !== undefined) return own.link === true || own.version !== undefined
  return from !== '' && finds(from.includes('/node_modules/') ? from.slice(0, from.lastIndexOf('/node_modules/')) : '', name)
}

it('the lock file names all packages of all platforms: npm ci refuses any other, and npm install would add them', () => {
  const missing = Object.entries(packages).flatMap(([from, locked]) => {
    const development = from.includes('node_modules/') ? {} : locked.devDependencies
    const needed = Object.keys({ ...locked.dependencies, ...development, ...locked.optionalDependencies })
    return needed.filter((name) => !finds(from, name)).map((name) => `${name} of ${from}`)
  })
  expect(missing).toEqual([])
  expect(Object.keys(packages).length).toBeGreaterThan(700)
})

it('the lock file names no registry: whoever installs has one', () => {
  const addresses = Object.values(packages).flatMap(({ resolved, link }) => (link === true ? [] : (resolved ?? [])))
  expect(addresses).toEqual([])
})
