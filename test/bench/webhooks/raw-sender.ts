// The lower bound for the cost of sending: signed requests over undici's Pool, without a database. Its parent sends the port and the
// duration. It replies with the number of requests per second.
import { createHmac, createSecretKey } from 'node:crypto'
import { Pool } from 'undici'

export interface RawSending {
  port: number
  seconds: number
}

const CONNECTIONS = 64
const key = createSecretKey(Buffer.from(`whsec_${'a'.repeat(44)}`))
const body = JSON.stringify({
  id: 'evt_0000000001',
  event: 'product/created',
  created_at: new Date().toISOString(),
  data: { product_id: 1, pad: 'x'.repeat(300) },
})

process.on('message', ({ port, seconds }: RawSending) => {
  void send(port, seconds).then((perSecond) => process.send?.(perSecond))
})

async function send(port: number, seconds: number): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, pipelining: 1 })
  const started = performance.now()
  const end = started + seconds * 1_000
  let sent = 0
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (; performance.now() < end; sent++)
        await (await pool.request({ path: '/hook', method: 'POST', headers: signed(), body })).body.dump()
    }),
  )
  const perSecond = sent / ((performance.now() - started) / 1_000)
  await pool.close()
  return perSecond
}

function signed(): Record<string, string> {
  const time = Math.floor(Date.now() / 1_000)
  const signature = createHmac('sha256', key).update(`${time}.${body}`).digest('hex')
  return { 'content-type': 'application/json', 'x-webhook-signature': `t=${time},v1=${signature}` }
}
