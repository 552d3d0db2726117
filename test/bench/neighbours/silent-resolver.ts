import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** An address of this machine that nothing else uses. The system's resolver knows no other port than 53. */
const ADDRESS = '127.54.54.54'
const DNS_PORT = 53

export interface SilentResolver {
  /** Put in front of a command, runs it where the DNS server is one that never answers. */
  command: string[]
  stop(): Promise<void>
}

/** Says why this machine has no way to give one process another DNS server, or undefined when it has. */
export async function whyNoSilentResolver(): Promise<string | undefined> {
  try {
    const resolver = await startSilentResolver()
    await resolver.stop()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/**
 * Starts a DNS server that never answers. A process gets it by a mount namespace in which /etc/resolv.conf is another file. Throws where
 * there are no such namespaces (only Linux has them, and not everywhere for ordinary users) or port 53 is not for this user: root may
 * use it, and everybody where the sysctl net.ipv4.ip_unprivileged_port_start allows it, as it does in most containers.
 */
export async function startSilentResolver(): Promise<SilentResolver> {
  const socket = createSocket('udp4').on('message', () => {})
  try {
    socket.bind(DNS_PORT, ADDRESS)
    await once(socket, 'listening')
  } catch (cause) {
    throw new Error(`port ${DNS_PORT} cannot be used: ${(cause as Error).message}`, { cause })
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'fulfillment-resolver-'))
  const stop = async (): Promise<void> => {
    socket.close()
    await rm(folder, { recursive: true })
  }
  const file = path.join(folder, 'resolv.conf')
  await writeFile(file, `nameserver ${ADDRESS}\n`)
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const script = `mount --bind ${file} /etc/resolv.conf && exec "$@"`
  const command = ['unshare', ...asRoot, '--mount', 'sh', '-c', script, 'sh']
  const tried = spawnSync(command[0] as string, [...command.slice(1), 'true'], { encoding: 'utf8' })
  if (tried.status === 0) return { command, stop }
  await stop()
  throw new Error(`no mount namespace can be made: ${(tried.error?.message ?? tried.stderr).trim()}`)
}
