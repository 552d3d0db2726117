import { registerHooks } from 'node:module'

// Loaded before a server's own modules: tells of each that belongs to OpenTelemetry. Its interface without an implementation, `api`, is
// part of prom-client.
registerHooks({
  load: (url, context, load) => {
    if (/@opentelemetry\/(?!api\/)/.test(url)) console.error(`loads ${url}`)
    return load(url, context)
  },
})
