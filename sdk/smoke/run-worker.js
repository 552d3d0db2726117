import process from 'node:process'
import { Miniflare } from 'miniflare'

// In workerd itself, without the flags that bring parts of Node.
const miniflare = new Miniflare({ modules: true, scriptPath: process.argv[2], compatibilityDate: '2026-01-01' })
try {
  const response = await miniflare.dispatchFetch('http://localhost', { method: 'POST', body: process.env.SMOKE })
  const text = await response.text()
  if (text !== 'ok') throw new Error(text)
} finally {
  await miniflare.dispose()
}
