// A delivery worker as a process of its own, for tests that kill it. Arguments: database URL, encryption key.
import { openDatabase } from '../../../server/src/database/database.ts'
import { createEncryption } from '../../../server/src/encryption.ts'
import { Names, startDeliveryEngine } from '../../../server/src/webhooks/index.ts'

const [databaseUrl = '', encryptionKey = ''] = process.argv.slice(2)
startDeliveryEngine({
  db: openDatabase(databaseUrl),
  encryption: createEncryption(encryptionKey),
  webhookTargets: { allowPrivateNetwork: true, requireHttps: false, names: new Names() },
  log: { error: (details, message) => console.error(message, details) },
})
