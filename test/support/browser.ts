import chromium from '@sparticuz/chromium'
import { chromium as playwright, type Browser } from 'playwright-core'

/** Arguments that the package adds for cloud functions. With them the browser would not behave like a user's browser. */
const UNWANTED = /^--(single-process|no-zygote|disable-web-security|disable-site-isolation-trials|allow-running-insecure-content)/

/** Starts a real browser: Chromium from npm, or the one at `CHROMIUM_PATH`. `more` are further arguments. */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? (await chromium.executablePath())
  return playwright.launch({ executablePath, args: [...wantedArguments(), ...more], headless: true })
}

/** The package's arguments that suit a user's browser. */
export const wantedArguments = (): string[] => chromium.args.filter((argument) => !UNWANTED.test(argument))
