// A delivery worker in a separate process, for tests that kill it. Arguments: database URL, encryption key.
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { createEncryption } from '@fulfillment/server/runtime/encryption/encryption.ts'
import { HostNameResolver, startDeliveryEngine } from '@fulfillment/server/delivery/index.ts'

const [databaseUrl = '', encryptionKey = ''] = process.argv.slice(2)
startDeliveryEngine({
  db: openDatabase(databaseUrl),
  encryption: createEncryption(encryptionKey),
  webhookTargets: { allowPrivateNetwork: true, requireHttps: false, names: new HostNameResolver() },
  log: { error: (details, message) => console.error(message, details) },
})
