import { registerHooks } from 'node:module'

// Loaded before a server's own modules: tells of each that belongs to OpenTelemetry.
registerHooks({
  load: (url, context, load) => {
    if (url.includes('@opentelemetry')) console.error(`loads ${url}`)
    return load(url, context)
  },
})
