import pg from 'pg'
import { vi } from 'vitest'
import { isAlive } from './it.ts'

export const isRoot = process.getuid?.() === 0

export async function query(connectionString: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

export async function recovered(connectionString: string): Promise<void> {
  await vi.waitFor(() => query(connectionString, 'select 1'), { timeout: 60_000, interval: 50 })
}

// Waits until the pid is free. That takes a moment: the parent, which may be the system's init process, must first reap the process.
export async function ended(pid: number): Promise<void> {
  await vi.waitUntil(() => !isAlive(pid), { timeout: 60_000 })
}
