import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

/**
 * The two latest Chromium, Firefox and Safari; for the scan app also Chrome 120, the last of some handhelds. `index.html` tells older
 * browsers that they are too old.
 */
const CHROME = { dashboard: 140, scan: 120 }
const FIREFOX = 140
const SAFARI = { major: 18, minor: 4 }

const chromeOf = (mode: string): number => CHROME[mode as keyof typeof CHROME]

/** As lightningcss writes versions. */
const version = (major: number, minor = 0): number => (major << 16) | (minor << 8)

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
    lightningcss: {
      targets: { chrome: version(chromeOf(mode)), firefox: version(FIREFOX), safari: version(SAFARI.major, SAFARI.minor) },
    },
  },
  worker: { format: 'es' as const },
  build: {
    outDir: `../dist/${mode}`,
    emptyOutDir: true,
    target: [`chrome${chromeOf(mode)}`, `firefox${FIREFOX}`, `safari${SAFARI.major}.${SAFARI.minor}`],
    // Of the chunks, for `scripts/check-budgets.ts`; the server sends only what is below `assets/`.
    manifest: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
}))
