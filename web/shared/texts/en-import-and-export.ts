import { count, grouped } from './count.ts'
import { isolated } from './isolated.ts'

/** The import of CSV files, and the export of lists. */
export const importAndExport = {
  export: {
    button: 'Export CSV',
    started: 'The export is being downloaded',
  },
  import: {
    link: 'Import',
    titles: { products: 'Import products', stock: 'Import stock' },
    intro: {
      products:
        'Products are matched by barcode: known ones are changed, others are created. An empty cell leaves its field as it is.',
      stock:
        'Each row sets the quantity of a product at a location. The product is named by its SKU or id. A location that does not exist is created.',
    },
    limits:
      'CSV in UTF-8, separated by commas, semicolons or tabs, with the names of the columns in the first line; at most 50 MiB and 200,000 rows.',
    choose: 'Choose a CSV file',
    chooseOther: 'Choose another file',
    reading: (name: string) => `Reading ${name}`,
    tooLarge: (mebibytes: number) =>
      `The file is larger than ${mebibytes} MiB. Split it, and import the parts one after the other.`,
    tooManyRows: (rows: number) =>
      `The file has more than ${grouped(rows)} rows. Split it, and import the parts one after the other.`,
    notUtf8: 'The file is not UTF-8. In a spreadsheet, save it as "CSV UTF-8".',
    notCsv: 'This is not a CSV file. In a spreadsheet, save the sheet as "CSV UTF-8".',
    unreadable: 'The file cannot be read. It may have been changed or removed since it was chosen.',
    noRows: 'The file has no rows. Its first line names the columns, the others are rows.',
    openQuote: (line: number) => `The quotation mark of a cell that begins on line ${grouped(line)} is not closed.`,
    roundedCode: 'A spreadsheet has rounded this code. Format the column as text, with all digits.',
    longRow: 'Is longer than 1,000,000 characters. Is a quotation mark not closed?',
    cells: (cells: number, columns: number) =>
      `Has ${count(cells, 'cell', 'cells')}; the first line names ${count(columns, 'column', 'columns')}.`,
    file: (name: string, rows: number) => `${isolated(name)}: ${count(rows, 'row', 'rows')}`,
    columns: 'Columns',
    column: 'Column',
    unnamed: (position: number) => `Column ${position}`,
    examples: 'Examples',
    field: 'Field',
    fieldOf: (column: string) => `Field of ${column}`,
    leaveOut: 'Leave out',
    fields: {
      barcode: 'Barcode',
      name: 'Name',
      sku: 'SKU',
      category: 'Category',
      price: 'Price',
      weight: 'Weight, kg',
      product_id: 'Product id',
      location_id: 'Location',
      quantity: 'Quantity',
      expected_quantity: 'Expected quantity',
      pick_tolerance_percent: 'Picking tolerance, %',
    } as Readonly<Record<string, string>>,
    missing: (fields: string) => `Choose the column of: ${fields}.`,
    or: ' or ',
    twice: (field: string) => `Two columns are ${field}. Leave one of them out.`,
    check: 'Check',
    progress: 'Progress',
    checking: (rows: number, total: number) => `Checked ${grouped(rows)} of ${count(total, 'row', 'rows')}.`,
    importing: (rows: number, total: number) => `Imported ${grouped(rows)} of ${count(total, 'row', 'rows')}.`,
    pausing: (rows: number, total: number) =>
      `Imported ${grouped(rows)} of ${count(total, 'row', 'rows')}. Pausing after the rows that are being sent.`,
    paused: (rows: number, total: number) => `Paused after ${grouped(rows)} of ${count(total, 'row', 'rows')}.`,
    outcome: {
      products: (created: number, changed: number, errors: number) =>
        `${grouped(created)} new, ${grouped(changed)} changed, ${grouped(errors)} with errors`,
      stock: (_created: number, changed: number, errors: number) =>
        `${count(changed, 'level', 'levels')}, ${grouped(errors)} with errors`,
    },
    checked: 'Nothing is imported yet.',
    done: 'The import is complete.',
    toList: { products: 'Show products', stock: 'Show stock' },
    nothing: 'No row can be imported.',
    begin: (rows: number) => `Import ${count(rows, 'row', 'rows')}`,
    pause: 'Pause',
    goOn: 'Go on',
    waiting: (seconds: number) => `The server is busy or out of reach. The import goes on in ${grouped(seconds)} s.`,
    kept: (name: string) => `The import of ${isolated(name)} is not complete. Choose the same file to go on where it was.`,
    forget: 'Do not go on',
    forgetOne: (name: string) => `Do not go on with ${isolated(name)}`,
    errors: 'Rows with errors',
    line: 'Line',
    inFile: 'In the file',
    message: 'Message',
    first: (shown: number, total: number) => `The first ${grouped(shown)} of ${grouped(total)}. The download has all of them.`,
    download: 'Download rows with errors',
    downloadName: (name: string) => `${name.replace(/\.\w+$/, '')}-errors.csv`,
    /** The name of the last column there, which an import leaves out. */
    errorColumn: 'error',
    leave: 'Leave the import?',
    leaveText: 'The import stops here. To resume it, come back and choose the same file.',
    leaveAct: 'Leave',
  },
}
