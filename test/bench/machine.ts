import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import os from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

/** Maximum load by other processes, in cores, at which measurements are valid. */
export const QUIET_CORES = 0.15
const LOOK_MS = 1_000
/** Linux reports the processor time of a process in hundredths of a second. */
const TICKS_PER_SECOND = 100

export interface Machine {
  cpu: string
  cores: number
  memoryGb: number
  node: string
  platform: string
}

/** Describes the machine of the measurement. */
export function describeMachine(): Machine {
  const cores = os.cpus()
  return {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    node: process.version,
    platform: `${os.platform()} ${os.release()}`,
  }
}

/** The measured version of the code. */
export function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}

/** Number of busy cores while the benchmark is idle. */
export async function busyCores(): Promise<number> {
  const before = busySeconds()
  await delay(LOOK_MS)
  return (busySeconds() - before) / (LOOK_MS / 1_000)
}

/** Processor time used by the whole machine, in seconds. */
export function busySeconds(): number {
  return os.cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1_000
}

/** Processor time used by a process and its children, in seconds; 0 on systems without /proc. */
export function processSeconds(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + (statOf(one)?.seconds ?? 0), 0)
}

/** Resident memory of a process in MB; NaN on systems without /proc. */
export function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return NaN
  }
}

function childrenOf(parent: number): number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && statOf(pid)?.parent === parent)
  } catch {
    return []
  }
}

function statOf(pid: number): { parent: number; seconds: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { parent: Number(fields[1]), seconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND }
  } catch {
    return undefined
  }
}
