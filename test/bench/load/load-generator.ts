import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Load, LoadResult } from './generator.ts'

/** A process that sends requests. */
export interface LoadGenerator {
  pid: number
  run(load: Load): Promise<LoadResult>
  stop(): void
}

/** Starts the load generator. */
export function startLoadGenerator(): LoadGenerator {
  const child = fork(new URL('./generator.ts', import.meta.url))
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`the load generator ended with ${code}`)
  })
  died.catch(() => {})
  return {
    pid: child.pid as number,
    run: async (load) => {
      child.send(load)
      const [result] = await Promise.race([once(child, 'message'), died])
      return result as LoadResult
    },
    stop: () => void child.kill(),
  }
}
