import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { RawSending } from './raw-sender.ts'
import type { Arrivals } from './receiver.ts'

export interface Receiver {
  port: number
  /** The arrivals since the last call. */
  take(): Promise<Arrivals>
  stop(): void
}

/** Starts a webhook receiver. */
export async function startReceiver(): Promise<Receiver> {
  const child = fork(new URL('./receiver.ts', import.meta.url), { serialization: 'advanced' })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { port, take: () => ask<Arrivals>(child, 'take'), stop: () => void child.kill() }
}

/** Number of signed requests per second that a process can send if it does nothing else. */
export async function rawRate(sending: RawSending): Promise<number> {
  const child = fork(new URL('./raw-sender.ts', import.meta.url))
  try {
    return await ask<number>(child, sending)
  } finally {
    child.kill()
  }
}

async function ask<Reply>(child: ChildProcess, question: RawSending | 'take'): Promise<Reply> {
  child.send(question)
  const [reply] = (await once(child, 'message')) as [Reply]
  return reply
}
