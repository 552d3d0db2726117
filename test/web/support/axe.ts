import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  help: string
  nodes: { html: string; failureSummary?: string }[]
}

interface Axe {
  run(options: {
    runOnly?: string[]
    rules: Record<string, { enabled: boolean }>
    resultTypes: ['violations']
  }): Promise<{ violations: Violation[] }>
}

/** What axe finds on the page, a line each; WCAG 2.2 AA and its best practices. `tags` name the rules that are checked; all of them by default. */
export async function axe(page: Page, tags?: string[]): Promise<string[]> {
  // Evaluated over the debugging protocol, which the Content-Security-Policy of the page does not concern.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  const violations = await page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as { axe: Axe }
    // Part of WCAG 2.2 AA, but off by default.
    const rules = { 'target-size': { enabled: true } }
    // Otherwise it also describes every element that is right.
    const options = { resultTypes: ['violations'] as ['violations'] }
    return (await axe.run(runOnly === undefined ? { ...options, rules } : { ...options, runOnly, rules: {} })).violations
  }, tags)
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html} ${node.failureSummary ?? ''}`),
  )
}
