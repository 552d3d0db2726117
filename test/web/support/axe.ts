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
  run(
    context: { include: string[]; exclude: string[] },
    options: { runOnly?: string[]; rules: Record<string, { enabled: boolean }>; resultTypes: ['violations'] },
  ): Promise<{ violations: Violation[] }>
}

/** The axe rules that concern colours: dark and forced colours are the same page in other ones (`light-dark()` in the tokens of the pages). */
export const OF_COLOURS = ['color-contrast', 'link-in-text-block']

/** Which part of a page axe looks at. */
export interface AxeScope {
  /** The rules that are checked; all of them by default. */
  rules?: string[] | undefined
  /** Selectors of parts that are left out. */
  without?: string[] | undefined
}

/** What axe finds on the page, a line each; WCAG 2.2 AA and its best practices. */
export async function axe(page: Page, { rules: runOnly, without = [] }: AxeScope = {}): Promise<string[]> {
  // Evaluated over the debugging protocol, which the Content-Security-Policy of the page does not concern.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  const scope = { runOnly, exclude: without }
  const violations = await page.evaluate(async ({ runOnly, exclude }) => {
    const { axe } = globalThis as unknown as { axe: Axe }
    // Part of WCAG 2.2 AA, but off by default.
    const rules = { 'target-size': { enabled: true } }
    // Otherwise it also describes every element that is right.
    const options = { resultTypes: ['violations'] as ['violations'] }
    const context = { include: ['html'], exclude: exclude.filter((selector) => document.querySelector(selector) !== null) }
    return (await axe.run(context, runOnly === undefined ? { ...options, rules } : { ...options, runOnly, rules: {} })).violations
  }, scope)
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html} ${node.failureSummary ?? ''}`),
  )
}
