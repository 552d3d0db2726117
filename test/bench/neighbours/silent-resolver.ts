import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A loopback address that nothing else uses. The port must be 53: the system's resolver supports no other. */
const ADDRESS = '127.54.54.54'
const DNS_PORT = 53

export interface SilentResolver {
  /** A command prefix: the command behind it uses the DNS server that never responds. */
  command: string[]
  stop(): Promise<void>
}

/** Why this machine cannot give a single process another DNS server; undefined if it can. */
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
 * Starts a DNS server that never responds. A process uses it through a mount namespace with another /etc/resolv.conf. Throws when the
 * system has no mount namespaces (only Linux has them, and not always for ordinary users). Also throws when this user may not use port 53:
 * root may, and other users may if the sysctl net.ipv4.ip_unprivileged_port_start allows it, as in most containers.
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
