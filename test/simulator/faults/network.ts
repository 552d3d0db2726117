import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Random } from '../random.ts'

/** What happens to a piece of data on its way. */
export interface Weather {
  /** Probability that the connection is cut in the middle of the piece. */
  cut: number
  /** The longest delay of a piece; 0 for none. */
  delayMs: number
}

export const FAIR: Weather = { cut: 0, delayMs: 0 }

/** A network between the clients and a server: in bad weather, it delays data and cuts connections within requests and answers. */
export interface Network {
  url: string
  setWeather(weather: Weather): void
  close(): Promise<void>
}

export async function startNetwork(targetUrl: string, random: Random): Promise<Network> {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  let weather = FAIR

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const cut = (): void => {
      client.destroy()
      upstream.destroy()
    }
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true)
      from.on('error', cut)
      from.on('close', () => {
        sockets.delete(from)
        cut()
      })
      from.on('data', (piece: Buffer) => {
        const isCut = random.chance(weather.cut)
        const delayMs = weather.delayMs === 0 ? 0 : random.int(0, weather.delayMs)
        const pass = (): void => {
          if (to.destroyed) return
          to.write(isCut ? piece.subarray(0, random.int(0, piece.length)) : piece)
          if (isCut) to.end(cut)
          from.resume()
        }
        if (delayMs === 0) return pass()
        // Nothing overtakes what is delayed.
        from.pause()
        setTimeout(pass, delayMs)
      })
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setWeather: (next) => (weather = next),
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
