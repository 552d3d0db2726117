import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Extractor, ExtractorConfig, ExtractorLogLevel, type ExtractorMessage } from '@microsoft/api-extractor'

/** The entries of the package. The report of each entry in `etc/` shows in reviews what changes for users. */
const ENTRIES = ['index', 'webhooks', 'webhooks/node', 'webhooks/testing']

const packageFolder = fileURLToPath(new URL('../', import.meta.url))
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })

const stale = ENTRIES.filter((entry) => report(entry) && values.check)
if (stale.length > 0) {
  console.error(`The public API changed: ${stale.join(', ')}. Run \`npm run api -w sdk\` and commit the result.`)
  process.exitCode = 1
}

/** Writes the report of an entry, or compares it with the committed one; returns whether they differ. */
function report(entry: string): boolean {
  const extractorConfig = ExtractorConfig.prepare({
    packageJsonFullPath: `${packageFolder}package.json`,
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: packageFolder,
      mainEntryPointFilePath: `${packageFolder}dist/${entry}.d.ts`,
      compiler: { tsconfigFilePath: `${packageFolder}tsconfig.json` },
      apiReport: {
        enabled: true,
        reportFileName: `${entry.replace('/', '-')}.api.md`,
        reportFolder: `${packageFolder}etc/`,
        reportTempFolder: `${packageFolder}node_modules/.cache/api/`,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { extractorMessageReporting: { default: { logLevel: ExtractorLogLevel.None } } },
    },
  })
  const { apiReportChanged } = Extractor.invoke(extractorConfig, { localBuild: !values.check, messageCallback: quietUnlessError })
  return apiReportChanged
}

function quietUnlessError(message: ExtractorMessage): void {
  message.handled = message.logLevel !== ExtractorLogLevel.Error
}
