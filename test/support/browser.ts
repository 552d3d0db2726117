import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import chromium from '@sparticuz/chromium'
import { chromium as playwright, type Browser } from 'playwright-core'
import { isMemoryAmple } from './temporary-folder.ts'
import { withLock } from '@fulfillment/server/database/embedded/file-lock.ts'

/** Arguments that the package adds for cloud functions. With them the browser would not behave like a user's browser. */
const FOR_CLOUDS =
  /^--(single-process|no-zygote|disable-web-security|disable-site-isolation-trials|allow-running-insecure-content)/
/** Arguments for an emulated graphics card, which takes more than half of the processor time of a test. */
const FOR_GRAPHICS = /^--(use-gl|use-angle|enable-unsafe-swiftshader|ignore-gpu-blocklist|in-process-gpu)/
/** A process that the browser starts ahead of each page, and most tests end without. It takes a fifteenth of the processor time of a test. */
const SPARE_PROCESS = 'SpareRendererForSitePerProcess'
const AMPLE_BYTES = 1_000_000_000

/** Tests that need a browser are left out where there is none: with `SKIP_BROWSER=true`. */
export const isBrowserSkipped = process.env.SKIP_BROWSER === 'true'

/** The Chromium from npm, or the one at `CHROMIUM_PATH`. */
export async function browserPath(): Promise<string> {
  const { CHROMIUM_PATH } = process.env
  if (CHROMIUM_PATH !== undefined) return CHROMIUM_PATH
  if (process.platform === 'linux' && process.arch === 'x64') return await unpacked()
  throw new Error(
    `npm has no Chromium for ${process.platform} on ${process.arch}: set CHROMIUM_PATH to one, or SKIP_BROWSER=true to leave out the tests that need it`,
  )
}

const UNPACKING_MS = 300_000
const UNPACK = `import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())`

/**
 * The browser of the npm package, which unpacks it into the folder for temporary files and takes what it finds there for whole. Tests start in
 * several processes, and other users and other versions use that folder too: each user and version has a folder, filled once under a lock.
 */
async function unpacked(): Promise<string> {
  const module = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const { version } = JSON.parse(await readFile(path.join(module, '../../package.json'), 'utf8')) as { version: string }
  const folder = path.join(tmpdir(), `fulfillment-chromium-${version}-${userInfo().uid}`)
  const browser = path.join(folder, 'chromium')
  if (existsSync(browser)) return browser
  await withLock(`${folder}.lock`, UNPACKING_MS, async () => {
    if (existsSync(browser)) return
    const unfinished = `${folder}.unfinished`
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished)
    await promisify(execFile)(process.execPath, ['--eval', UNPACK], {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: unfinished },
    })
    await rename(unfinished, folder)
  })
  return browser
}

/** Starts a real browser; `more` are further arguments. */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  return playwright.launch({
    executablePath: await browserPath(),
    args: [...wantedArguments(), ...more],
    ignoreDefaultArgs: await unwantedDefaults(),
    headless: true,
  })
}

/**
 * Playwright keeps the browser's shared memory in files on the disk, because it may be scarce in a container. Where it is not, this saves a
 * twelfth of the processor time of a test.
 */
async function unwantedDefaults(): Promise<string[]> {
  return (await isMemoryAmple(AMPLE_BYTES)) ? ['--disable-dev-shm-usage'] : []
}

/** The package's arguments that suit a browser of a user without a graphics card. */
export const wantedArguments = (): string[] => [
  ...chromium.args
    .filter((argument) => !FOR_CLOUDS.test(argument) && !FOR_GRAPHICS.test(argument))
    // The browser takes only the last of several such lists.
    .map((argument) => (argument.startsWith('--disable-features=') ? `${argument},${SPARE_PROCESS}` : argument)),
  '--disable-gpu',
]
