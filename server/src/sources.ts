import path from 'node:path'

/** The folder of the sources, for files that are read at run time. In the build, this module is in `dist`, beside it. */
export const SOURCES = path.resolve(import.meta.dirname, '../src')
