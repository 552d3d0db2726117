import { expect } from 'vitest'
import { it } from '../support/browser.ts'
import { seed, signIn } from '../support/page-server.ts'

it('shows requests by hour, key and operation, with the shares of errors', async ({ window, tenant, service }) => {
  window.expectComplaint(/400/)
  const { id } = await seed(tenant, '/api-keys', { name: 'ERP', preset: 'erp_sync' })
  await service.db.dedicatedPool.query(
    `insert into usage_hours (tenant_id, at, key_id, operation, requests, client_errors, limited, server_errors)
     select $1::bigint, date_trunc('hour', now()) - h * interval '1 hour', $2::bigint, operation, 1000, 10, 4, 1
     from generate_series(1, 20) h cross join unnest('{orders.create,orders.list,stock.adjust}'::text[]) operation
     union all select $1::bigint, date_trunc('hour', now()) - interval '30 hours', $2::bigint, 'orders.get', 7, 0, 0, 0`,
    [tenant.id, id],
  )
  const { page } = window
  await signIn(page, tenant.key, '/orders')
  await page.getByRole('link', { name: 'Usage' }).click()
  await page.getByRole('heading', { level: 1, name: 'API usage' }).waitFor()
  const rows = page.getByRole('table', { name: 'API usage' }).getByRole('row')
  await page.getByText(/^60,\d+ requests: .* 4xx, .* 429, .* 5xx$/).waitFor()
  await expect.poll(() => rows.count()).toBe(51)
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('page')).toBe('2')

  await page.getByRole('combobox', { name: 'Operation' }).fill('stock.adjust')
  await page.getByRole('combobox', { name: 'Operation' }).press('Enter')
  await page.getByText('20,000 requests: 1 % 4xx, 0.4 % 429, 0.1 % 5xx', { exact: true }).waitFor()
  await page.getByText('20 rows', { exact: true }).waitFor()
  expect(await rows.nth(1).getByRole('cell').allTextContents()).toEqual([
    expect.any(String),
    'ERP',
    'stock.adjust',
    '1,000',
    '10',
    '4',
    '1',
  ])
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('combobox', { name: 'Key' }).fill('ERP')
  await page.getByRole('option', { name: /ERP/ }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('key_id')).toBe(String(id))
  await page.getByLabel('Since').fill(new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10))
  await page.getByText('61 rows', { exact: true }).waitFor()
  await page.getByLabel('Since').fill('2020-01-01')
  await page.getByRole('alert').getByText('since: must be at most 31 days before until').waitFor()
})

it('stays as it is while a date is typed, whose year is one of the first centuries until it is complete', async ({
  window,
  tenant,
  service,
}) => {
  window.expectComplaint(/400/)
  await service.db.dedicatedPool.query(
    `insert into usage_hours (tenant_id, at, key_id, operation, requests, client_errors, limited, server_errors)
     select $1, date_trunc('hour', now()) - h * interval '1 hour', 1, 'orders.list', 100, 0, 0, 0 from unnest(array[2, 50]) h`,
    [tenant.id],
  )
  const { page } = window
  await signIn(page, tenant.key, '/usage')
  const chart = page.getByRole('img', { name: /^Requests by result: / })
  await chart.waitFor()
  const complete = Promise.withResolvers<void>()
  await page.route(/reports\/usage\?since=0/, async (route) => {
    await complete.promise
    await route.continue()
  })
  const [year = '', ...date] = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10).split('-')
  await page.getByLabel('Since').focus()
  await page.keyboard.type(date.join(''))
  for (let digits = 1; digits <= year.length; digits++) {
    await page.keyboard.type(year.charAt(digits - 1))
    const since = [year.slice(0, digits).padStart(4, '0'), ...date].join('-')
    await expect.poll(() => new URL(page.url()).searchParams.get('since')).toBe(since)
    expect(await chart.count()).toBe(1)
  }
  await page.getByRole('table', { name: 'API usage' }).getByRole('row').nth(2).waitFor()
  // The hours of three days and of today so far.
  await expect.poll(() => page.getByRole('slider').getAttribute('max')).toMatch(/^[789]\d$/)
  complete.resolve()
})

it('is shown by hour on the screen of a key', async ({ window, tenant, service }) => {
  const { id } = await seed(tenant, '/api-keys', { name: 'ERP', preset: 'erp_sync' })
  await service.db.dedicatedPool.query(
    `insert into usage_hours (tenant_id, at, key_id, operation, requests, client_errors, limited, server_errors)
     select $1, date_trunc('hour', now()) - interval '2 hours', $2, operation, 1000, 10, 4, 1 from unnest('{orders.create,orders.list}'::text[]) operation`,
    [tenant.id, id],
  )
  const { page } = window
  await signIn(page, tenant.key, `/keys/${id}`)
  const row = page.getByRole('table', { name: 'API usage' }).getByRole('row').nth(1)
  await row.waitFor()
  expect((await row.getByRole('cell').allTextContents()).slice(1)).toEqual(['2,000', '20', '8', '2'])
  await page.getByRole('link', { name: 'By operation' }).click()
  await page.getByRole('heading', { level: 1, name: 'API usage' }).waitFor()
  await page.getByRole('table', { name: 'API usage' }).getByText('orders.list').waitFor()
  // The screens read the same hours, each in its own way.
  await page.goBack()
  await row.getByText('2,000').waitFor()
})
