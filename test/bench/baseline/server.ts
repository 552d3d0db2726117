// The bare server that the service is compared with: Fastify and pg, named statements, JSON text from Postgres passed through. It has no
// authentication, no validation, no limits and no log. Its tenants are 1 (small), 2 (large) and 3 (written to).
import Fastify, { type FastifyReply } from 'fastify'
import pg from 'pg'
import * as sql from './statements.ts'

const SMALL = 1
const LARGE = 2
const WRITTEN = 3

interface OrderBody {
  order_tenant_id: string
  assembly_date: string
  customer_name?: string
  shipping_address?: string
  order_detail: { barcode: string; quantity: number; price?: number }[]
}
interface StockBody {
  product_id: number
  location_id: string
  adjustment_quantity: number
  quantity: number
  reason?: string
}

interface PickBody {
  barcode: string
  location_id: string
  quantity: number
}

pg.types.setTypeParser(pg.types.builtins.INT8, Number)
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })

async function one<Row>(name: string, text: string, values: unknown[]): Promise<Row | undefined> {
  return (await pool.query({ name, text, values })).rows[0] as Row | undefined
}

function sendJson(reply: FastifyReply, json: string | undefined): string {
  if (json === undefined) {
    reply.code(404)
    return '{"success":false,"error":{"code":"not_found","message":"Not found"}}'
  }
  reply.header('content-type', 'application/json; charset=utf-8')
  return `{"success":true,"data":${json}}`
}

const app = Fastify({ logger: false })

app.get<{ Params: { id: string } }>('/api/v1/orders/:id', async ({ params }, reply) =>
  sendJson(reply, (await one<{ json: string }>('get_order', sql.GET_ORDER, [Number(params.id), LARGE]))?.json),
)

app.get<{ Params: { id: string } }>('/api/v1/products/:id', async ({ params }, reply) =>
  sendJson(reply, (await one<{ json: string }>('get_product', sql.GET_PRODUCT, [Number(params.id), LARGE]))?.json),
)

app.get('/api/v1/orders', async (_request, reply) => {
  const row = await one<{ json: string; total: number }>('list_orders', sql.LIST_ORDERS, [SMALL, 50, 0])
  const { json, total } = row as { json: string; total: number }
  return sendJson(
    reply,
    `{"orders":${json},"pagination":{"total":${total},"page":1,"limit":50,"total_pages":${Math.ceil(total / 50)}}}`,
  )
})

app.post<{ Body: OrderBody }>('/api/v1/orders', async ({ body }) => {
  const lines = body.order_detail
  const created = await one<object>('create_order', sql.CREATE_ORDER, [
    WRITTEN,
    body.order_tenant_id,
    body.assembly_date,
    body.customer_name ?? null,
    body.shipping_address ?? null,
    lines.map((line) => line.barcode),
    lines.map((line) => line.quantity),
    lines.map((line) => line.price ?? null),
  ])
  return {
    success: true,
    data: { created_count: created ? 1 : 0, existing_count: created ? 0 : 1, orders: created ? [created] : [] },
  }
})

app.post<{ Body: StockBody }>('/api/v1/stock/adjustment', async ({ body }) => ({
  success: true,
  data: await one('adjust_stock', sql.ADJUST_STOCK, [
    WRITTEN,
    body.product_id,
    body.location_id,
    body.adjustment_quantity,
    body.reason ?? null,
  ]),
}))

app.put<{ Params: { id: string }; Body: StockBody }>('/api/v1/stock/product/:id', async ({ params, body }) => ({
  success: true,
  data: await one('set_stock', sql.SET_STOCK, [WRITTEN, Number(params.id), body.location_id, body.quantity, body.reason ?? null]),
}))

app.post<{ Params: { id: string }; Body: PickBody }>('/api/v1/flows/:id/picks', async ({ params, body }) => ({
  success: true,
  data: await one('pick', sql.PICK, [WRITTEN, Number(params.id), body.barcode, body.location_id, body.quantity]),
}))

app.post<{ Body: { products: object[] } }>('/api/v1/products/bulk', async ({ body }) => {
  const counts = await one<object>('bulk_products', sql.BULK_PRODUCTS, [WRITTEN, JSON.stringify(body.products)])
  return { success: true, data: { ...counts, errors: [] } }
})

app.post<{ Body: { updates: object[] } }>('/api/v1/stock/bulk', async ({ body }) => {
  const counts = await one<object>('bulk_stock', sql.BULK_STOCK, [WRITTEN, JSON.stringify(body.updates)])
  return { success: true, data: { ...counts, errors: [] } }
})

process.on('SIGTERM', () => {
  void app
    .close()
    .then(() => pool.end())
    .then(() => process.exit(0))
})
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
