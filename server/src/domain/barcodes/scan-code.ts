import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Caller, Scope } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { type LookedUpCode, lookUpCodes } from './resolve-codes.ts'
import { type Scan, scanInput, scanOutput } from './schemas.ts'

type Named = Pick<Scan, 'location' | 'order'>

const findNamed = statement<[tenantId: number, code: string, withLocation: boolean, withOrder: boolean], Named>({
  name: 'find_scanned_records',
  connection: 'read',
  sql: `select (
     select json_build_object('id', id, 'code', code, 'name', name, 'warehouse_id', warehouse_id) from (
       (select 1 as rank, id, code, name, warehouse_id from locations where tenant_id = $1 and id = $2 limit 1)
       union all
       (select 2, id, code, name, warehouse_id from locations where tenant_id = $1 and code = $2 order by id limit 1)
     ) l where $3::boolean order by rank limit 1
   ) as location, (
     select json_build_object('id', id, 'order_tenant_id', order_tenant_id, 'state_id', state_id) from orders
     where tenant_id = $1 and order_tenant_id = $2 and $4::boolean
   ) as "order"`,
})

/** Says what a code is, and changes nothing. Throws `not_found`. */
export const scanCode = endpoint({
  name: 'barcodes.scan',
  scope: 'read:products',
  method: 'GET',
  path: '/scan',
  summary: 'Identify a code',
  description: `Identifies a scanned code by the same rules as picks, receipts and other calls that take a \`barcode\`. The first rule that finds a product applies:

1. A primary or additional barcode equal to the code.
2. An EAN-13 or UPC-A that contains a weight and matches a pattern of the setting \`weight_barcodes\`.
3. A GTIN-8, 12, 13 or 14, compared to barcodes as 14 digits with leading zeros.
4. A GS1 element string or a GS1 Digital Link, by its GTIN.
5. A UPC-E of 8 digits, by the GTIN of its UPC-A.

The GS1 fields are returned even if no product has the GTIN. A code that identifies nothing returns \`not_found\`. The call changes nothing.`,
  errors: ['not_found'],
  isAddition: true,
  input: scanInput,
  output: scanOutput,
  run: async ({ db, caller }, { code }) => {
    const text = code.trim()
    if (text === '') throw unknownCode()
    const [[looked], named] = await Promise.all([
      lookUpCodes(db, caller.tenantId, [text]),
      db.runOne(findNamed, [caller.tenantId, text, may(caller, 'read:stock'), may(caller, 'read:orders')]),
    ])
    const scan = scanOf(code, looked as LookedUpCode, named as Named)
    if (Object.entries(scan).every(([field, value]) => field === 'code' || value === null)) throw unknownCode()
    return scan
  },
})

const may = ({ scopes }: Caller, scope: Scope): boolean => scopes.includes(scope) || scopes.includes('admin')

function scanOf(code: string, { meanings, resolved }: LookedUpCode, { location, order }: Named): Scan {
  const meaning = resolved?.meaning ?? meanings.find(({ elements }) => elements !== null)
  return {
    code,
    product: resolved?.product ?? null,
    barcode: resolved?.barcode ?? null,
    pack_quantity: resolved?.packQuantity ?? null,
    quantity: resolved?.quantity ?? null,
    gtin: meaning?.gtin ?? null,
    lot: meaning?.elements?.lot ?? null,
    serial: meaning?.elements?.serial ?? null,
    expires_on: meaning?.elements?.expires_on ?? null,
    weight: meaning?.weight ?? null,
    count: meaning?.elements?.count ?? null,
    location,
    order,
  }
}

function unknownCode(): ServiceError {
  return new ServiceError('not_found', 'No product, location or order has this code')
}
