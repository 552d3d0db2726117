import { enableCompileCache } from 'node:module'

// Keeps what Node makes of the program's files for the next start, which then takes half as long.
enableCompileCache()
await import('../src/main.ts')
