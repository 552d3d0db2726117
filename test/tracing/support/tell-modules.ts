import { registerHooks } from 'node:module'

// Preloaded into a server: prints each loaded module of OpenTelemetry, except `api`, its interface without an implementation, which
// prom-client needs.
registerHooks({
  load: (url, context, load) => {
    if (/@opentelemetry\/(?!api\/)/.test(url)) console.error(`loads ${url}`)
    return load(url, context)
  },
})
