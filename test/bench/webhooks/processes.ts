import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { RawSending } from './raw-sender.ts'
import type { Arrivals } from './receiver.ts'

export interface Receiver {
  port: number
  /** What arrived since the last call. */
  take(): Promise<Arrivals>
  stop(): void
}

/** Starts a receiver of webhooks. */
export async function startReceiver(): Promise<Receiver> {
  const child = fork(new URL('./receiver.ts', import.meta.url), { serialization: 'advanced' })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { port, take: () => ask<Arrivals>(child, 'take'), stop: () => void child.kill() }
}

/** How many signed requests a second a process can send that does nothing else. */
export async function rawRate(sending: RawSending): Promise<number> {
  const child = fork(new URL('./raw-sender.ts', import.meta.url))
  try {
    return await ask<number>(child, sending)
  } finally {
    child.kill()
  }
}

async function ask<Answer>(child: ChildProcess, question: RawSending | 'take'): Promise<Answer> {
  child.send(question)
  const [answer] = (await once(child, 'message')) as [Answer]
  return answer
}
