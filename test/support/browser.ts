import chromium from '@sparticuz/chromium'
import { chromium as playwright, type Browser } from 'playwright-core'

/** Arguments that the package adds for cloud functions. With them the browser would not behave like a user's browser. */
const FOR_CLOUDS =
  /^--(single-process|no-zygote|disable-web-security|disable-site-isolation-trials|allow-running-insecure-content)/
/** Arguments for an emulated graphics card, which takes more than half of the processor time of a test. */
const FOR_GRAPHICS = /^--(use-gl|use-angle|enable-unsafe-swiftshader|ignore-gpu-blocklist|in-process-gpu)/

/** Tests that need a browser are left out where there is none: with `SKIP_BROWSER=true`. */
export const isBrowserSkipped = process.env.SKIP_BROWSER === 'true'

/** The Chromium from npm, or the one at `CHROMIUM_PATH`. */
export async function browserPath(): Promise<string> {
  const { CHROMIUM_PATH } = process.env
  if (CHROMIUM_PATH !== undefined) return CHROMIUM_PATH
  if (process.platform === 'linux' && process.arch === 'x64') return await chromium.executablePath()
  throw new Error(
    `npm has no Chromium for ${process.platform} on ${process.arch}: set CHROMIUM_PATH to one, or SKIP_BROWSER=true to leave out the tests that need it`,
  )
}

/** Starts a real browser; `more` are further arguments. */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  return playwright.launch({ executablePath: await browserPath(), args: [...wantedArguments(), ...more], headless: true })
}

/** The package's arguments that suit a browser of a user without a graphics card. */
export const wantedArguments = (): string[] => [
  ...chromium.args.filter((argument) => !FOR_CLOUDS.test(argument) && !FOR_GRAPHICS.test(argument)),
  '--disable-gpu',
]
