import { existsSync } from 'node:fs'
import path from 'node:path'
import { SOURCES } from '../../sources.ts'
import type { PageApp } from './page-request.ts'

/** The output of `npm run build` for the workspace `web`: a folder per app. */
export const BUILT_PAGES = path.resolve(SOURCES, '../../web/dist')

/** Whether this checkout has the files of an app. */
export function isBuilt(app: PageApp): boolean {
  return existsSync(path.join(BUILT_PAGES, app, 'index.html'))
}
