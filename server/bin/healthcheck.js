#!/usr/bin/env node
// Health check for containers, which have no curl: requests /readyz of the server with the same environment variables.
const { MONITORING_PORT, PORT } = process.env
const url = `http://127.0.0.1:${MONITORING_PORT || PORT || 3000}/readyz`
try {
  const response = await fetch(url, { signal: AbortSignal.timeout(3_000) })
  console.log(`${url}: ${response.status}`)
  process.exitCode = response.ok ? 0 : 1
} catch (error) {
  console.log(`${url}: ${error.cause?.message ?? error.message}`)
  process.exitCode = 1
}
