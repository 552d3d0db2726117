import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chromium as playwright, type Page } from 'playwright-core'
import { browserPath, wantedArguments } from '../../support/browser.ts'

export interface KillableBrowser {
  page: Page
  /** Ends the browser with SIGKILL: what it has not written to its profile is gone. */
  kill(): Promise<void>
  /** Ends the browser as a person does. */
  close(): Promise<void>
}

/** Starts a browser whose profile outlives it. */
export async function startKillableBrowser(profile: string): Promise<KillableBrowser> {
  const browser = spawn(await browserPath(), [...wantedArguments(), '--remote-debugging-port=0', `--user-data-dir=${profile}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(browser, 'exit')
  const connection = await playwright.connectOverCDP(await debuggerOf(browser.stderr))
  const [context] = connection.contexts()
  const page = context?.pages()[0] ?? (await context?.newPage())
  if (page === undefined) throw new Error('The browser has no page')
  return {
    page,
    kill: async () => {
      browser.kill('SIGKILL')
      await exited
      await connection.close()
    },
    close: async () => {
      await (await connection.newBrowserCDPSession()).send('Browser.close')
      await exited
    },
  }
}

async function debuggerOf(stderr: NodeJS.ReadableStream): Promise<string> {
  let output = ''
  for await (const chunk of stderr) {
    output += String(chunk)
    const [, url] = /DevTools listening on (ws:\S+)/.exec(output) ?? []
    if (url !== undefined) {
      // The rest of it must not fill the pipe.
      stderr.resume()
      return url
    }
  }
  throw new Error(`The browser did not start: ${output}`)
}
