import { connect } from 'node:net'

/** Sends raw bytes and returns all bytes of the response. */
export function sendRaw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let response = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('data', (chunk) => (response += chunk.toString()))
    socket.on('close', () => resolve(response))
    socket.on('error', reject)
  })
}
