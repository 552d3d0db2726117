import chromium from '@sparticuz/chromium'
import { chromium as playwright, type Browser } from 'playwright-core'

/** What the package adds for functions in the cloud and would make the browser another than its users have. */
const UNWANTED = /^--(single-process|no-zygote|disable-web-security|disable-site-isolation-trials|allow-running-insecure-content)/

/** A real browser: Chromium from npm, or the one of `CHROMIUM_PATH`. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? (await chromium.executablePath())
  const args = chromium.args.filter((argument) => !UNWANTED.test(argument))
  return playwright.launch({ executablePath, args, headless: true })
}
