import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

/** What the two latest Chromium, Firefox and Safari know; `index.html` tells older browsers that they are too old. */
const BROWSERS = ['chrome140', 'firefox140', 'safari18.4']

/** The mode names the application: `vite build --mode dashboard`. */
export default defineConfig(({ mode }) => ({
  root: mode,
  base: `/${mode}/`,
  plugins: [react()],
  // The SDK's sources rather than its build: `npm install` builds the pages, and nothing else.
  resolve: { conditions: ['@fulfillment/source', ...defaultClientConditions] },
  // The server replaces it in each document that it sends.
  html: { cspNonce: '__CSP_NONCE__' },
  css: {
    transformer: 'lightningcss' as const,
    lightningcss: { targets: { chrome: 140 << 16, firefox: 140 << 16, safari: (18 << 16) | (4 << 8) } },
  },
  build: {
    outDir: `../dist/${mode}`,
    emptyOutDir: true,
    target: BROWSERS,
    // Of the chunks, for `scripts/check-budgets.ts`; the server sends only what is below `assets/`.
    manifest: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
}))
