#!/usr/bin/env node
// Asks the server of the same environment whether it can serve: for containers, which have no curl.
const { MONITORING_PORT, PORT } = process.env
const url = `http://127.0.0.1:${MONITORING_PORT || PORT || 3000}/readyz`
try {
  const answer = await fetch(url, { signal: AbortSignal.timeout(3_000) })
  console.log(`${url}: ${answer.status}`)
  process.exitCode = answer.ok ? 0 : 1
} catch (error) {
  console.log(`${url}: ${error.cause?.message ?? error.message}`)
  process.exitCode = 1
}
