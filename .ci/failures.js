/** Prints the tests that failed in a JSON report of Vitest, each with the first lines of its errors. */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'))
for (const file of report.testResults) {
  const failed = file.assertionResults.filter((test) => test.status === 'failed')
  if (file.status === 'failed' && failed.length === 0) tell(file, '', [file.message])
  for (const test of failed) tell(file, ` > ${test.fullName}`, test.failureMessages)
}

function tell(file, test, messages) {
  console.log(`FAILED: ${relative('.', file.name)}${test}`)
  for (const line of messages.join('\n').split('\n').slice(0, 12)) console.log(`    ${line}`)
}
