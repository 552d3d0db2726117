import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { describe, expect, vi } from 'vitest'
import { csvRows } from '@fulfillment/server/command-line/import/csv-rows.ts'
import { importRows } from '@fulfillment/server/command-line/import/import-rows.ts'
import { IMPORT_TARGETS, type ImportTarget } from '@fulfillment/server/command-line/import/import-target.ts'
import { openInput } from '@fulfillment/server/command-line/import/input-file.ts'
import { jsonRows } from '@fulfillment/server/command-line/import/json-rows.ts'
import { it } from '../support/it.ts'
import type { TestService, TestTenant } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'
import { startGateway } from './gateway.ts'
import { runCommand, startCommand, type CommandRun } from './run-command.ts'

const envOf = (service: TestService, tenant: TestTenant) => ({ FULFILLMENT_URL: service.url, FULFILLMENT_API_KEY: tenant.key })

/** Imports a text from standard input. */
function importText(
  service: TestService,
  tenant: TestTenant,
  target: string,
  input: string | Buffer,
  ...options: string[]
): Promise<CommandRun> {
  return runCommand(['import', target, '-', ...options], envOf(service, tenant), input)
}

async function catalogOf(tenant: TestTenant): Promise<Record<string, object>> {
  const { body } = await tenant.request('GET', '/products?limit=100')
  return Object.fromEntries(body.data.products.map((product: { barcode: string }) => [product.barcode, product]))
}

describe('import products', () => {
  it('reads CSV as written by spreadsheets, and converts each cell to the type of its field', async ({ service, tenant }) => {
    const csv = `\uFEFFbarcode;name;price;sku;category\r\n00123;"Tea; ""green""\r\n100 g";4.9;T-1;\r\n\r\n4;'=Plus;1e2;;Ä\r\n5;Salt;.5;;\r\n6;Rice;+5.;;\r\n`
    const { exitCode, stdout, stderr } = await importText(service, tenant, 'products', csv, '--delimiter', ';', '--json')
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual({ rows: 4, created: 4, updated: 0, failed: 0, last_line: 7, interrupted: false })
    expect(await catalogOf(tenant)).toMatchObject({
      '00123': { name: 'Tea; "green"\r\n100 g', price: 4.9, external_id: 'T-1', category: null },
      4: { name: '=Plus', price: 100, external_id: null, category: 'Ä' },
      5: { price: 0.5 },
      6: { price: 5 },
    })
  })

  it('sets the picking tolerance of weighable products, as an export has it', async ({ service, tenant }) => {
    await newProduct(tenant, { barcode: 'cheese', weighable: true })
    await newProduct(tenant, { barcode: 'ham', weighable: true, pick_tolerance_percent: 5 })
    await newProduct(tenant, { barcode: 'tea' })
    const csv = 'barcode,pick_tolerance_percent\ncheese,7.5\nham,\ntea,1\n'
    const { exitCode, stderr } = await importText(service, tenant, 'products', csv)
    expect([exitCode, stderr.includes('(barcode tea): pick_tolerance_percent: must be 0')]).toEqual([1, true])
    const exported = await runCommand(
      ['export', 'products', '--columns', 'barcode,pick_tolerance_percent'],
      envOf(service, tenant),
    )
    expect(exported.stdout.trim().split(/\r?\n/).toSorted()).toEqual([
      'barcode,pick_tolerance_percent',
      'cheese,7.5',
      'ham,5',
      'tea,',
    ])
  })

  it('reports the line and product of each failed row, imports the others, and writes the failed rows to a file for correction', async ({
    service,
    tenant,
    folder,
  }) => {
    await newProduct(tenant, { barcode: 'taken', sku: 'T-1' })
    const input = path.join(folder, 'products.csv')
    const errors = path.join(folder, 'failed.csv')
    await writeFile(input, 'barcode,name,price,sku\n1,"a\nb",1,\n2,B,"1,5",\n3,C,,T-1\n4,,1,\n,E,1,\n6,F,1\n7,G,-1,\n8,H,8,\n')
    const { exitCode, stdout, stderr } = await runCommand(
      ['import', 'products', input, '--errors', errors],
      envOf(service, tenant),
    )
    expect([exitCode, stdout]).toEqual([1, '8 rows: 2 created, 0 updated, 6 failed\n'])
    expect(stderr.trim().split('\n').toSorted()).toEqual([
      'Line 4: price: "1,5" is not a number such as 1234.5',
      'Line 5 (barcode 3): sku: another product has this sku',
      'Line 6 (barcode 4): name: is required for a new product',
      'Line 7 (barcode (none)): barcode: is required',
      'Line 8: has 3 cells, and the header names 4 columns',
      expect.stringContaining('Line 9 (barcode 7): price: '),
    ])
    expect(Object.keys(await catalogOf(tenant)).toSorted()).toEqual(['1', '8', 'taken'])

    const failed = await readFile(errors, 'utf8')
    expect(failed.split('\n')).toHaveLength(8)
    const mended = failed
      .replace('"1,5"', '1.5')
      .replace('T-1', 'T-3')
      .replace('4,,', '4,D,')
      .replace('\n,E', '\n5,E')
      .replace('-1,', '1,')
    const importAgain = async (text: string, file: string) =>
      await importText(service, tenant, 'products', text, '--errors', path.join(folder, file))
    // A row of the wrong length stays so, whatever it has of earlier errors, until it is corrected.
    expect(await importAgain(mended, 'again.csv')).toMatchObject({ stdout: '6 rows: 5 created, 0 updated, 1 failed\n' })
    const [header, row = ''] = (await readFile(path.join(folder, 'again.csv'), 'utf8')).split('\n')
    expect(await importAgain(`${header}\n${row}\n`, 'and-again.csv')).toMatchObject({
      stdout: '1 row: 1 failed\n',
    })
    expect(await importAgain(`${header}\n6,F,1,,\n`, 'at-last.csv')).toMatchObject({
      exitCode: 0,
      stdout: '1 row: 1 created, 0 updated, 0 failed\n',
    })
    await expect(readFile(path.join(folder, 'at-last.csv'))).rejects.toThrow('ENOENT')
    const refused = await runCommand(['import', 'products', input, '--errors', errors], envOf(service, tenant))
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is there already') })
  })

  it('reads JSON lines, and reports lines with unknown fields', async ({ service, tenant }) => {
    const lines = [
      '{"barcode":"1","name":"A","sku":null}',
      '',
      '{"barcode":"2","name":"B","colour":"red"}',
      '[]',
      '{"barcode":3}',
    ]
    const { exitCode, stdout, stderr } = await importText(service, tenant, 'products', lines.join('\r\n'), '--format', 'jsonl')
    expect([exitCode, stdout]).toEqual([1, '4 rows: 1 created, 0 updated, 3 failed\n'])
    expect(stderr).toContain('Line 3: unknown: "colour". Fields: barcode (required), name')
    expect(stderr).toContain('Line 4: is not a JSON object')
    expect(stderr).toContain('Line 5 (barcode 3): barcode: ')
  })

  it('writes failed JSON lines to the file for correction as they are, with all digits of their numbers', async ({ folder }) => {
    const errors = path.join(folder, 'failed.jsonl')
    const cases: [line: string, written: string][] = [
      [
        '{"barcode": 123456789012345678, "price":1e400, "sku":"},\\"{"}\r',
        '{"barcode": 123456789012345678, "price":1e400, "sku":"},\\"{","error":ERROR}',
      ],
      ['{"barcode":4.50,"error":"of before","a":[{"error":1},2.0]}', '{"barcode":4.50,"a":[{"error":1},2.0],"error":ERROR}'],
      ['{"error":"of before","barcode":5.0}', '{"barcode":5.0,"error":ERROR}'],
      ['{ }', '{"error":ERROR}'],
      ['[1.0]', '[1.0]'],
      ['{"barcode":', '{"barcode":'],
    ]
    const options = ['--format', 'jsonl', '--dry-run', '--errors', errors]
    const { stdout } = await runCommand(['import', 'products', '-', ...options], {}, cases.map(([line]) => line).join('\n'))
    expect(stdout).toBe('6 rows: 6 failed\n')
    const written = (await readFile(errors, 'utf8')).trimEnd().split('\n')
    const withoutErrors = written.map((line, index) =>
      index < 4 ? line.replace(JSON.stringify(JSON.parse(line).error), 'ERROR') : line,
    )
    expect(withoutErrors).toEqual(cases.map(([, correctable]) => correctable))
  })

  it.for([
    ['an unknown column', 'barcode,colour\n1,red\n', ['Unknown in the header: "colour"', 'barcode (required), name, sku']],
    ['a required column that is missing', 'name\nTea\n', ['The header lacks barcode']],
    ['a column that is there twice', 'barcode,sku,external_id\n1,a,b\n', ['two columns for sku']],
    ['another separator', 'barcode;name\n1;Tea\n', ["--delimiter ';'"]],
    ['an empty file', '', ['The file is empty']],
    ['a quotation mark that is not closed', `barcode,name\n1,"${'x'.repeat(2_000_000)}`, ['quotation mark']],
    ['bytes that are not UTF-8', Buffer.from('barcode,name\n1,\xE4\n', 'latin1'), ['not UTF-8']],
  ] as const)('refuses %s and sends nothing', async ([, input, messages], { service, tenant }) => {
    const { exitCode, stdout, stderr } = await importText(service, tenant, 'products', input)
    expect([exitCode, stdout]).toEqual([1, ''])
    for (const message of [...messages, 'Nothing was imported']) expect(stderr).toContain(message)
    expect(await catalogOf(tenant)).toEqual({})
  })

  it('ignores unknown columns on request, and sends nothing in a dry run', async ({ service, tenant }) => {
    const csv = 'colour,barcode,name\nred,1,Tea\nblue,,Coffee\n'
    const dry = await runCommand(['import', 'products', '-', '--ignore-unknown', '--dry-run'], {}, csv)
    expect(dry).toEqual({
      exitCode: 1,
      stdout: '2 rows: 1 valid, 1 failed\n',
      stderr: 'Line 3 (barcode (none)): barcode: is required\n',
    })
    const real = await importText(service, tenant, 'products', csv, '--ignore-unknown')
    expect(real).toMatchObject({ exitCode: 1, stdout: '2 rows: 1 created, 0 updated, 1 failed\n' })
  })

  it('needs memory for one batch only', async () => {
    const header = 'barcode,name,category\n'
    const { child, ended } = startCommand(['import', 'products', '-', '--dry-run', '--quiet', '--json'], {}, [
      '--max-old-space-size=36',
    ])
    const rows = Readable.from(
      (function* () {
        yield header
        for (let row = 0; row < 80_000; row++) yield `${row},"${'n'.repeat(250)}",${'c'.repeat(250)}\n`
      })(),
    )
    await pipeline(rows, child.stdin!)
    const { exitCode, stdout } = await ended
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { valid: 80_000, failed: 0 }])
  })

  it('starts at a given line, with the given batch size', async ({ service, tenant }) => {
    const csv = `barcode,name\n${Array.from({ length: 25 }, (_, index) => `${index + 2},"Line\n${index}"`).join('\n')}\n`
    const { stdout } = await importText(service, tenant, 'products', csv, '--batch-size', '4', '--from-line', '20', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ rows: 16, created: 16, last_line: 50 })
    const { body } = await tenant.request('GET', '/audit-log?operation=products.bulk')
    expect(body.data.entries.filter(({ operation }: { operation: string }) => operation === 'products.bulk')).toHaveLength(4)
  })

  it('finishes the current batch when interrupted, and says how to continue', async ({ service, tenant }) => {
    const { child, ended } = startCommand(['import', 'products', '-', '--batch-size', '2', '--json'], envOf(service, tenant))
    child.stdin?.write('barcode,name\n1,A\n2,B\n3,C\n')
    await vi.waitFor(async () => expect(Object.keys(await catalogOf(tenant))).toHaveLength(2), { timeout: 60_000 })
    child.kill('SIGINT')
    const { exitCode, stdout } = await ended
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      130,
      { rows: 2, created: 2, updated: 0, failed: 0, last_line: 3, interrupted: true },
    ])
  })

  it('reports an invalid row once, although it is interrupted before its batch is sent', async ({ service, tenant, folder }) => {
    const lines = ['barcode,name', '1,A', '2,B', '3,', ',D', '5,E', '6,F']
    const errors = (n: number) => path.join(folder, `errors-${n}.csv`)
    const options = ['--batch-size', '2', '--quiet', '--json']
    const first = startCommand(['import', 'products', '-', ...options, '--errors', errors(1)], envOf(service, tenant))
    first.child.stdin?.write(`${lines.slice(0, 5).join('\n')}\n`)
    await vi.waitFor(async () => expect(Object.keys(await catalogOf(tenant))).toHaveLength(2), { timeout: 60_000 })
    // The last two rows were read with the others, and wait for one that fills their batch.
    first.child.kill('SIGINT')
    const interrupted = await first.ended
    const { last_line: lastLine, failed } = JSON.parse(interrupted.stdout)
    const rest = await importText(
      service,
      tenant,
      'products',
      `${lines.join('\n')}\n`,
      ...options,
      '--errors',
      errors(2),
      '--from-line',
      String(lastLine + 1),
    )
    const reported = `${interrupted.stderr}${rest.stderr}`.split('\n').filter((line) => line.startsWith('Line '))
    expect(reported.map((line) => /^Line \d+/.exec(line)?.[0])).toEqual(['Line 4', 'Line 5'])
    expect(failed + JSON.parse(rest.stdout).failed).toBe(2)
    const written = await Promise.all([1, 2].map((n) => readFile(errors(n), 'utf8').catch(() => '')))
    expect(written.join('').match(/is required/g)).toHaveLength(2)
    expect(Object.keys(await catalogOf(tenant))).toHaveLength(4)
  })

  it('knows how much of a small file is left', async ({ folder }) => {
    const [target] = IMPORT_TARGETS
    const read = { delimiter: ',', ignoreUnknown: false }
    const csv = path.join(folder, 'small.csv')
    await writeFile(csv, `barcode,name\n${'1,Tea\n'.repeat(100)}`)
    const json = path.join(folder, 'small.jsonl')
    await writeFile(json, '{"barcode":"1","name":"Tea"}\n'.repeat(100))
    for (const file of [csv, json]) {
      const { signal } = new AbortController()
      const { text, size } = await openInput(file, signal)
      const rows =
        file === csv
          ? csvRows(text, target as ImportTarget, { ...read, format: 'csv' }, async () => {})
          : jsonRows(text, target as ImportTarget, { ...read, format: 'jsonl' })
      const shares: (number | undefined)[] = []
      const progress = { update: (_done: number, share?: number) => shares.push(share), note: () => {}, stop: () => {} }
      await importRows(
        rows,
        {
          target: target as ImportTarget,
          client: undefined,
          batchSize: 25,
          fromLine: 1,
          failedRows: undefined,
          createdLocations: undefined,
          progress,
          signal,
          size,
        },
        { counts: {}, failed: 0, lastLine: 0 },
      )
      expect(shares.map((share) => Math.round((share ?? 0) * 20) / 20)).toEqual([0.25, 0.5, 0.75, 1, 1])
    }
  })

  it('refuses a header among the rows, which would be a product of that name', async ({ service, tenant }) => {
    const csv = 'barcode,name\n1,Tea\n barcode ,name\n2,Coffee\n'
    const { exitCode, stdout, stderr } = await importText(service, tenant, 'products', csv)
    expect([exitCode, stdout, stderr]).toEqual([
      1,
      '3 rows: 2 created, 0 updated, 1 failed\n',
      'Line 3: is the header again. Remove it\n',
    ])
    expect(Object.keys(await catalogOf(tenant)).toSorted()).toEqual(['1', '2'])
  })

  it('skips rows of empty cells, and refuses codes that a spreadsheet has rounded', async ({ service, tenant }) => {
    const csv = ',,\nbarcode,name,sku\n1,Tea,T\n,,\n4.00638E+12,Coffee,C\n2E+12,Sugar,\n3,Milk,"4,5E+11"\n ,,\n'
    const { exitCode, stdout, stderr } = await importText(service, tenant, 'products', csv)
    const hint = 'was rounded by a spreadsheet. Write the column as text, with all digits'
    expect([exitCode, stdout, stderr]).toEqual([
      1,
      '4 rows: 1 created, 0 updated, 3 failed\n',
      `Line 5: barcode: "4.00638E+12" ${hint}\nLine 6: barcode: "2E+12" ${hint}\nLine 7: sku: "4,5E+11" ${hint}\n`,
    ])
    expect(Object.keys(await catalogOf(tenant))).toEqual(['1'])
  })

  it('reads each kind of line end, wherever it is, and takes cells of spaces as empty', async ({ service, tenant }) => {
    const csv = 'barcode,name,sku\n1,Tea,T\r\n2,Coffee,\r\n3,Milk, \r\n4,"Sugar\r\ncubes",S\n5,Salt,X'
    const imported = await importText(service, tenant, 'products', csv)
    expect(imported).toEqual({ exitCode: 0, stdout: '5 rows: 5 created, 0 updated, 0 failed\n', stderr: '' })
    expect(await catalogOf(tenant)).toMatchObject({
      1: { name: 'Tea', external_id: 'T' },
      2: { external_id: null },
      3: { external_id: null },
      4: { name: 'Sugar\r\ncubes', external_id: 'S' },
      5: { external_id: 'X' },
    })
  })

  it('names the file that cannot be read', async ({ folder, service, tenant }) => {
    const named = path.join(folder, 'folder.csv')
    await mkdir(named)
    const { exitCode, stderr } = await runCommand(['import', 'products', named], envOf(service, tenant))
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`${named} cannot be read: EISDIR`)])
  })

  it('refuses a delimiter of JSON lines', async () => {
    const { exitCode, stderr } = await runCommand(['import', 'products', 'x.jsonl', '--delimiter', ';'], {})
    expect([exitCode, stderr]).toEqual([1, '--delimiter: is for CSV, and the format is JSON lines\n'])
  })

  it('names the invalid setting', async ({ service, tenant }) => {
    const csv = 'barcode,name\n1,Tea\n'
    const cases: [env: Record<string, string>, message: string][] = [
      [{}, 'FULFILLMENT_API_KEY: is not set'],
      [{ FULFILLMENT_API_KEY: 'wrong', FULFILLMENT_URL: service.url }, 'FULFILLMENT_API_KEY: '],
      [
        { ...envOf(service, tenant), FULFILLMENT_API_KEY: await tenant.createKey({ scopes: ['read:products'] }) },
        'lacks the scope write:products\nNothing was imported\n',
      ],
      [{ ...envOf(service, tenant), FULFILLMENT_URL: 'ftp://x' }, '--url: '],
    ]
    for (const [env, message] of cases) {
      const { exitCode, stderr } = await runCommand(['import', 'products', '-'], env, csv)
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)])
    }
  })
})

describe('import stock', () => {
  it('sets levels by SKU or product id, and reports the line and item of each failure', async ({ service, tenant }) => {
    const [first, second] = [await newProduct(tenant), await newProduct(tenant)]
    const csv = `sku,product_id,location_id,quantity\n${first.sku},,A,1.5\nGONE,,A,1\n,${second.id},B,2\nGONE,,B,1\n${first.sku},,,1\n${first.sku},,A,3\n`
    const { exitCode, stdout, stderr } = await importText(service, tenant, 'stock', csv)
    expect([exitCode, stdout]).toEqual([1, '6 rows: 3 set, 3 failed\nCreated locations: A, B\n'])
    expect(stderr.trim().split('\n').toSorted()).toEqual([
      'Line 3 (SKU GONE at A): Product not found',
      'Line 5 (SKU GONE at B): Product not found',
      `Line 6 (SKU ${first.sku} at (none)): location_id: is required`,
    ])
    const { body } = await tenant.request('GET', '/stock/levels')
    expect(body.data.levels).toMatchObject([
      { product_id: first.id, location_id: 'A', quantity: 3 },
      { product_id: second.id, location_id: 'B', quantity: 2 },
    ])
  })

  it('sets only levels that are what the file expects', async ({ service, tenant }) => {
    const [first, second] = [await newProduct(tenant), await newProduct(tenant)]
    for (const { id } of [first, second]) await tenant.request('PUT', `/stock/product/${id}`, { location_id: 'A', quantity: 5 })
    const csv = `sku,location_id,quantity,expected_quantity\n${first.sku},A,4,5\n${second.sku},A,4,6\n${second.sku},B,1,\n`
    const { exitCode, stdout, stderr } = await importText(service, tenant, 'stock', csv)
    expect([exitCode, stdout]).toEqual([1, '3 rows: 2 set, 1 failed\nCreated locations: B\n'])
    expect(stderr).toBe(`Line 3 (SKU ${second.sku} at A): expected_quantity: the level is 5, not 6\n`)
    const { body } = await tenant.request('GET', '/stock/levels')
    expect(body.data.levels.map(({ quantity }: { quantity: number }) => quantity)).toEqual([4, 5, 1])
  })

  it('that fails prints what is done, and which lines may have been applied', async ({ service, tenant }) => {
    const { sku } = await newProduct(tenant)
    const csv = `sku,location_id,quantity\n${['A', 'B', 'C', 'D'].map((location) => `${sku},${location},1\n`).join('')}`
    let answered = 1
    const gateway = await startGateway(service, async (incoming, response) => {
      if (incoming.url !== '/api/v1/stock/bulk' || answered-- > 0) return false
      await tenant.request('POST', '/stock/bulk', await json(incoming))
      // So long that it is not sent again.
      response.writeHead(504, { 'retry-after': '120' }).end()
      return true
    })
    const behind = { ...service, url: gateway.url }
    const importBatches = (...options: string[]) => importText(behind, tenant, 'stock', csv, '--batch-size', '2', ...options)

    const second = await importBatches()
    expect([second.exitCode, second.stdout]).toEqual([1, '2 rows: 2 set, 0 failed\nCreated locations: A, B\n'])
    const noAnswer = `--url: HTTP 504 with a body that is not the API's: ""`
    const toGoOn = 'Lines up to 3 are done. Lines 4 to 5 may have been applied. Continue with --from-line 4'
    expect(second.stderr).toBe(`${noAnswer}\n${toGoOn}\n`)
    answered = 1
    const asJson = await importBatches('--json')
    const done = { rows: 2, set: 2, failed: 0, last_line: 3, interrupted: true, created_locations: [] }
    expect([asJson.exitCode, JSON.parse(asJson.stdout)]).toEqual([1, done])
    const first = await importBatches('--json')
    expect([first.exitCode, first.stdout]).toEqual([1, ''])
    expect(first.stderr).toBe(`${noAnswer}\nLines 2 to 3 may have been applied. Continue with --from-line 1\n`)
    gateway.server.close()
  })

  it('names the locations that it created, of a few hundred, if the key can read them', async ({ service, tenant }) => {
    const { sku } = await newProduct(tenant)
    const csvOf = (names: string[]): string => `sku,location_id,quantity\n${names.map((name) => `${sku},${name},1\n`).join('')}`
    const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `S-${String(n).padStart(3, '0')}`)
    const { stdout } = await importText(service, tenant, 'stock', csvOf(numbered(150)))
    expect(stdout).toMatch(/^150 rows: 150 set, 0 failed\nCreated locations: S-000, S-001, .*, S-099 and 50 more\n$/)
    const again = await importText(service, tenant, 'stock', csvOf([...numbered(150), 'T-1']), '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({ rows: 151, set: 151, created_locations: ['T-1'] })
    const none = await importText(service, tenant, 'stock', csvOf(['T-1']))
    expect(none.stdout).toBe('1 row: 1 set, 0 failed\n')

    const key = await tenant.createKey({ scopes: ['write:stock'] })
    const blind = await importText(service, { ...tenant, key }, 'stock', csvOf(['T-2']), '--json')
    expect([blind.exitCode, JSON.parse(blind.stdout)]).toMatchObject([0, { set: 1, created_locations: null }])
  })
})
