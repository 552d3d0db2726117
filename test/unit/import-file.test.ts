import { describe, expect, it } from 'vitest'
import { batchesOf, unsendableRows } from '../../web/dashboard/import/batches.ts'
import { shortText, textOfError } from '../../web/dashboard/import/cell-text.ts'
import { errorFile } from '../../web/dashboard/import/error-file.ts'
import { IMPORT_TARGETS } from '../../web/dashboard/import/import-target.ts'
import { FileProblem } from '../../web/dashboard/import/file-problem.ts'
import { guessMapping, itemOf } from '../../web/dashboard/import/mapping.ts'
import { type CsvTable, parseCsv } from '../../web/dashboard/import/parse-csv.ts'
import { readText } from '../../web/dashboard/import/read-text.ts'
import { t } from '../../web/shared/texts/texts.ts'
import { rowErrors } from '../../web/dashboard/import/row-error.ts'

const { signal } = new AbortController()
const { products, stock } = IMPORT_TARGETS

/** A file that is read in pieces of so many bytes. */
function fileOf(text: string, pieceBytes = 65_536): File {
  const bytes = new TextEncoder().encode(text)
  const stream = (): ReadableStream<Uint8Array<ArrayBuffer>> =>
    new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += pieceBytes) controller.enqueue(bytes.slice(at, at + pieceBytes))
        controller.close()
      },
    })
  return Object.assign(new File([bytes], 'file.csv'), { stream })
}

async function tableOf(text: string): Promise<CsvTable> {
  return await parseCsv((await readText(fileOf(text), signal)).text, signal)
}

describe('the text of a file', () => {
  it('is the same however its bytes are cut into pieces', async () => {
    const rows = Array.from({ length: 60_000 }, (_, index) => `\u00FC\u20AC\u{1F375}${index}\r\n`)
    const { text, fingerprint } = await readText(fileOf(rows.join('')), signal)
    expect(text).toBe(rows.join('').replaceAll('\r\n', '\n'))
    expect((await readText(fileOf(rows.join('')), signal)).fingerprint).toBe(fingerprint)
    for (const pieceBytes of [1, 2, 3, 5])
      expect((await readText(fileOf('\u00FC\u20AC\r\n\u{1F375}\r\r\n', pieceBytes), signal)).text).toBe(
        '\u00FC\u20AC\n\u{1F375}\n\n',
      )
    expect((await readText(fileOf(rows.with(59_999, '\u00FC\u20AC\u{1F375}59990\r\n').join('')), signal)).fingerprint).not.toBe(
      fingerprint,
    )
  })
})

it('a file that is changed or removed while it is read is said to be unreadable', async () => {
  const error = new DOMException('The requested file could not be read', 'NotReadableError')
  const stream = (): ReadableStream<Uint8Array<ArrayBuffer>> =>
    new ReadableStream({ start: (controller) => controller.error(error) })
  const reading = readText(Object.assign(new File(['a'], 'file.csv'), { stream }), signal)
  await expect(reading).rejects.toThrow(new FileProblem(t.import.unreadable))
})

describe('a table', () => {
  it('has the lines of the file, also after cells of several lines and empty ones', async () => {
    const { header, rows } = await tableOf('\uFEFFbarcode, name\n1,"a\nb"\n\n2,"say ""hi"""\r\n3,c')
    expect(header).toEqual(['barcode', 'name'])
    expect(rows).toEqual([
      { line: 2, cells: ['1', 'a\nb'] },
      { line: 5, cells: ['2', 'say "hi"'] },
      { line: 6, cells: ['3', 'c'] },
    ])
  })

  it('is the same however long it is: cells and lines that are cut by the pieces in which it is parsed', async () => {
    const cells = Array.from({ length: 40_000 }, (_, index) => `"tea ${index}, ""fine""\n${'x'.repeat(index % 23)}"`)
    const { rows } = await tableOf(`barcode,name\n${cells.map((cell, index) => `${index},${cell}\n`).join('')}`)
    expect(rows).toHaveLength(cells.length)
    for (const [index, { line, cells: read }] of rows.entries())
      if (line !== 2 * index + 2 || read[0] !== String(index) || read[1] !== `tea ${index}, "fine"\n${'x'.repeat(index % 23)}`)
        expect([line, read]).toEqual([2 * index + 2, [String(index), cells[index]]])
  })

  it('says on which line a quotation mark is open', async () => {
    const rows = '1,2\n'.repeat(60_000)
    await expect(tableOf(`a,b\n${rows}3,"4\n5,6`)).rejects.toThrow('line 60,002 is not closed')
  })

  it.each([',', ';', '\t'])('is cut at %j', async (delimiter) => {
    const table = await tableOf(`sku${delimiter}quantity\nA${delimiter}1`)
    expect([table.header, table.rows[0]?.cells, table.delimiter]).toEqual([['sku', 'quantity'], ['A', '1'], delimiter])
  })
})

describe('columns', () => {
  it('are guessed by their names, each field once', () => {
    expect(guessMapping(['EAN', 'Product name', 'price', 'barcode', 'Colour', ''], products)).toEqual([
      'barcode',
      'name',
      'price',
      undefined,
      undefined,
      undefined,
    ])
    expect(guessMapping(['External ID', 'Location code', 'Qty', 'Expected-Quantity'], stock)).toEqual([
      'sku',
      'location_id',
      'quantity',
      'expected_quantity',
    ])
  })

  it('become items: numbers, texts as an export guards them, and nothing for empty cells', () => {
    const mapping = ['barcode', 'name', 'price', 'weight'] as const
    expect(itemOf(['1', `'=SUM(A1)`, ' 4.90 ', ' '], mapping, products)).toEqual({ barcode: '1', name: '=SUM(A1)', price: 4.9 })
    expect(itemOf(['1', `'quoted'`, '4,90', '1e-1'], mapping, products)).toEqual({
      barcode: '1',
      name: `'quoted'`,
      price: '4,90',
      weight: 0.1,
    })
  })
})

describe('batches', () => {
  const tableFrom = (barcodes: readonly string[]): CsvTable => ({
    header: ['barcode'],
    delimiter: ',',
    rows: barcodes.map((barcode, index) => ({ line: index + 2, cells: [barcode] })),
  })

  const batches = (table: CsvTable, column: number) =>
    batchesOf([...table.rows.keys()], table, column, new AbortController().signal)

  it('have at most 500 rows and a million characters', async () => {
    const many = tableFrom(Array.from({ length: 1_200 }, (_, index) => String(index)))
    expect((await batches(many, 0)).map(({ length }) => length)).toEqual([500, 500, 200])
    const long = tableFrom(Array.from({ length: 5 }, (_, index) => `${index}${'x'.repeat(400_000)}`))
    expect(await batches(long, 0)).toEqual([[0, 1], [2, 3], [4]])
  })

  it('have all rows of a product together, in their order', async () => {
    const table = tableFrom(['a', ...Array.from({ length: 600 }, (_, index) => String(index)), ' a'])
    const [first, second] = await batches(table, 0)
    expect(first?.slice(0, 3)).toEqual([0, 601, 1])
    expect(second).toHaveLength(102)
    expect((await batches(table, -1))[0]?.slice(0, 3)).toEqual([0, 1, 2])
  })
})

describe('the errors of a row', () => {
  it('are told field by field', () => {
    expect(rowErrors(3, 'price: must be a number; and positive; name: is required')).toEqual([
      { row: 3, field: 'price', message: 'must be a number; and positive' },
      { row: 3, field: 'name', message: 'is required' },
    ])
    expect(rowErrors(0, 'Product not found')).toEqual([{ row: 0, message: 'Product not found' }])
  })

  it('have the text of their cell, or of their row', async () => {
    const table = await tableOf('EAN;Preis\n1;cheap\n2;3;4')
    const mapping = ['barcode', 'price']
    expect(textOfError({ row: 0, field: 'price', message: 'No' }, table, mapping)).toBe('cheap')
    expect(textOfError({ row: 0, field: 'name', message: 'No' }, table, mapping)).toBe('')
    expect(textOfError({ row: 1, message: 'No' }, table, mapping)).toBe('2, 3, 4')
  })

  it('show no more than 40 characters, on one line', () => {
    expect(shortText(' a\n\tb ')).toBe('a b')
    expect(shortText('x'.repeat(40))).toBe('x'.repeat(40))
    expect(shortText('x'.repeat(41))).toBe(`${'x'.repeat(40)}…`)
    expect(shortText(`${'x'.repeat(39)}\u{1F375}`)).toBe(`${'x'.repeat(39)}…`)
    expect(shortText(`a${' '.repeat(1_000)}b`)).toBe('a…')
  })

  it('are a file that can be corrected and imported', async () => {
    const table = await tableOf('barcode;name;error\n1;"a;b";old\n2;c;\n3;d;')
    const text = await errorFile(table, [...rowErrors(0, 'name: is too long; sku: is taken'), ...rowErrors(2, 'No')])
    expect(text).toBe('barcode;name;error\n1;"a;b";"name: is too long; sku: is taken"\n3;d;No\n')
    const again = await tableOf(text)
    expect(guessMapping(again.header, products)).toEqual(['barcode', 'name', undefined])
  })

  it('do not make a row of a wrong number of cells one that is imported', async () => {
    const refusedAgain = async (text: string): Promise<string> => {
      const table = await tableOf(text)
      const file = await errorFile(table, await unsendableRows(table, [], stock, signal))
      const again = await tableOf(file)
      const errors = await unsendableRows(again, [], stock, signal)
      expect(errors.map(({ row }) => row)).toEqual([...again.rows.keys()])
      return file
    }
    const surplus = await refusedAgain('sku,location_id,quantity\nTEA-100,A-01,1,000')
    expect(surplus).toContain('\nTEA-100,A-01,1,000,Has 4 cells')
    expect(await refusedAgain(surplus)).toContain('\nTEA-100,A-01,1,000,Has 4 cells')
    expect(await refusedAgain('sku,location_id,quantity\nTEA-100,1\nTEA-100')).toContain('\nTEA-100,1,Has 2 cells')
    // A cell of the earlier errors, or one of the row, is missing.
    expect(await refusedAgain('sku,error,quantity\nTEA-100,1')).toContain('\nTEA-100,1,,Has 2 cells')
  })
})
