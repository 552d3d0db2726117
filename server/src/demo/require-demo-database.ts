import pg from 'pg'

/**
 * Throws unless a database is one for demos: not of production, and every tenant in it is a demo or empty. It is asked before anything is
 * changed there, also before its schema is brought up to date.
 */
export async function requireDemoDatabase(url: string, isProduction: boolean): Promise<void> {
  if (isProduction) throw new Error('NODE_ENV: is production. --force runs the demo all the same')
  const client = new pg.Client(url)
  await client.connect().catch((cause: unknown) => {
    throw new Error(`DATABASE_URL: the database cannot be reached: ${(cause as Error).message}`, { cause })
  })
  try {
    await requireOnlyDemos(client, 'DATABASE_URL')
  } finally {
    await client.end()
  }
}

/**
 * Throws an error with the name of the setting unless every tenant in a database is a demo or empty, and it has no further shards: the demo would
 * deliver the webhooks of their tenants.
 */
export async function requireOnlyDemos(client: pg.Client | pg.Pool, setting: string): Promise<void> {
  const { rows: tables } = await client.query<{ exists: boolean; has_demos: boolean; knows_shards: boolean }>(
    `select to_regclass('orders') is not null and to_regclass('products') is not null and to_regclass('tenants') is not null as exists,
       exists (select from pg_attribute where attrelid = to_regclass('tenants') and attname = 'demo_seed' and not attisdropped) as has_demos,
       to_regclass('shards') is not null as knows_shards`,
  )
  if (tables[0]?.exists !== true) return
  const others = tables[0].knows_shards ? (await client.query('select from shards where id <> 1')).rowCount : 0
  if (others !== 0)
    throw new Error(
      `${setting}: the service has further shards, whose tenants are not looked at. --force runs the demo all the same`,
    )
  // A schema of before demos were marked has none.
  const isNoDemo = tables[0].has_demos ? 'o.demo_seed is null' : 'true'
  const { rows: foreign } = await client.query<{ id: string; name: string }>(
    `select o.id, o.name from tenants t join tenants o on o.id = coalesce(t.sandbox_of, t.id)
     where ${isNoDemo} and (exists (select from products p where p.tenant_id = t.id) or exists (select from orders r where r.tenant_id = t.id))
     order by o.id limit 1`,
  )
  const [tenant] = foreign
  if (tenant !== undefined)
    throw new Error(
      `${setting}: tenant ${tenant.id} "${tenant.name}" has data that no demo made. --force runs the demo all the same`,
    )
}
