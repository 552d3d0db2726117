/**
 * The first script of the document makes the one Trusted Types policy that the Content-Security-Policy permits. It lets the empty string
 * through, with which react-aria empties its live region, and nothing else: no script of the page can turn text into markup.
 */
interface Policies {
  createPolicy(name: string, rules: { createHTML(text: string): string }): unknown
}

const { trustedTypes } = globalThis as { trustedTypes?: Policies }

trustedTypes?.createPolicy('default', {
  createHTML: (text) => {
    if (text === '') return text
    throw new TypeError('This page makes no markup from text')
  },
})
