import type { Product, RequestOptions } from '@fulfillment/sdk'
import type { UseQueryResult } from '@tanstack/react-query'
import { APIError, type FulfillmentClient } from '../../shared/api.ts'
import { isMissing, isUnanswered } from '../../shared/is-unanswered.ts'
import { t } from '../../shared/texts/texts.ts'
import { useScope } from '../data/session.tsx'
import { useRead } from '../data/use-read.ts'
import { useScreens } from '../frame/use-screens.ts'
import { useDelayed } from '../kit/use-delayed.ts'

export interface Found {
  path: string
  label: string
  note: string
}

export interface Findings {
  found: readonly Found[]
  /** Whether they are those of the text: of one that was typed just now nothing has come yet. */
  isCurrent: boolean
  /** Why it is not known whether more matches. */
  error: Error | undefined
  /** Reads again what could not be read. */
  retry: () => void
}

const LIMIT = 5
const SHORTEST_GTIN = 8
/** Codes have digits and no spaces. Few digits alone are the id of an order. */
const LIKE_CODE = /^(?!\d{1,7}$)\S*\d\S*$/

/** What matches a text: orders by identifier, id and customer; products by name, SKU and any code; screens and actions by name. */
export function useFound(text: string): Findings {
  const search = useDelayed(text)
  const canReadOrders = useScope('read:orders')
  const canReadProducts = useScope('read:products')
  const isAsked = search !== ''
  const byIdentifier = useRead(
    ['search', 'identifier', search],
    (api, options) => api.orders.list({ order_tenant_id: search, limit: LIMIT }, options),
    { enabled: isAsked && canReadOrders },
  )
  const byCustomer = useRead(
    ['search', 'customer', search],
    (api, options) => api.orders.list({ customer_name: search, limit: LIMIT }, options),
    { enabled: isAsked && canReadOrders },
  )
  const products = useRead(
    ['search', 'products', search],
    (api, options) => api.products.list({ search, limit: LIMIT }, options),
    {
      enabled: isAsked && canReadProducts,
    },
  )
  const lists = [byIdentifier, byCustomer, products]
  const isNothingFound = [byIdentifier.data?.orders, byCustomer.data?.orders, products.data?.products].every(
    (rows) => rows === undefined || rows.length === 0,
  )
  // The list finds no barcode of a pack, nor what a GS1 code or a scale's barcode says.
  const scanned = useRead(['search', 'scan', search], (api, options) => scannedProduct(api, search, options), {
    enabled:
      LIKE_CODE.test(search) && canReadProducts && isNothingFound && !lists.some((list) => isAwaited(list) || isFailed(list)),
    keep: false,
  })
  const pages = usePages(text)
  const reads = [...lists, scanned]
  const failed = search === text ? reads.filter(isFailed) : []
  const outcome = {
    isCurrent: search === text && failed.length === 0 && !reads.some(isAwaited),
    error: failed[0]?.error ?? undefined,
    retry: () => failed.forEach((read) => void read.refetch()),
  }
  if (!isAsked) return { found: pages, ...outcome }
  const items = scanned.data === undefined || scanned.data === null ? (products.data?.products ?? []) : [scanned.data]
  const orders = [...(byIdentifier.data?.orders ?? []), ...(byCustomer.data?.orders ?? [])]
  const found = [
    // What is scanned is no order's id.
    ...items
      .filter((item) => (item === scanned.data || item.barcode === search) && search.length >= SHORTEST_GTIN)
      .map(foundProduct),
    ...orders.map(({ id, order_tenant_id, customer_name }) => ({
      path: `/orders/${id}`,
      label: order_tenant_id,
      note: customer_name ?? t.search.order,
    })),
    ...(/^\d{1,15}$/.test(search) && canReadOrders
      ? [{ path: `/orders/${search}`, label: t.search.orderId(search), note: t.search.order }]
      : []),
    ...items.map(foundProduct),
    ...pages,
  ]
  return { found: [...new Map(found.map((each) => [each.path, each])).values()], ...outcome }
}

/** The product that a code stands for; null if it stands for none. */
async function scannedProduct(api: FulfillmentClient, code: string, options: RequestOptions): Promise<Product | null> {
  try {
    const { product } = await api.barcodes.scan({ code }, options)
    return product === null ? null : await api.products.get(product.id, options)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

const foundProduct = ({ id, name, external_id, barcode }: Product): Found => ({
  path: `/products/${id}`,
  label: name,
  note: external_id ?? barcode,
})

/** Whether the rows of a read are those of another text, or none yet. */
function isAwaited({ data, fetchStatus, isPlaceholderData }: UseQueryResult): boolean {
  return fetchStatus === 'fetching' && (isPlaceholderData || data === undefined)
}

/** Whether a read has failed. A text that the server refuses, such as one that is too long, matches nothing. */
function isFailed({ error, fetchStatus }: UseQueryResult): boolean {
  const isRefused = error instanceof APIError && error.status === 400 && !isUnanswered(error)
  return error !== null && fetchStatus !== 'fetching' && !isRefused
}

function usePages(text: string): Found[] {
  const screens = useScreens()
  const canWriteOrders = useScope('write:orders')
  const canWriteProducts = useScope('write:products')
  const canWriteWebhooks = useScope('write:webhooks')
  const isAdmin = useScope('admin')
  const canReadStock = useScope('read:stock')
  const canWriteStock = useScope('write:stock')
  const actions = [
    { path: '/orders/new', label: t.orders.new, isAllowed: canWriteOrders },
    { path: '/products/new', label: t.products.new, isAllowed: canWriteProducts },
    { path: '/inbound/new', label: t.inbound.new, isAllowed: canWriteStock },
    { path: '/returns/new', label: t.returns.new, isAllowed: canWriteOrders },
    { path: '/counts/new', label: t.counts.new, isAllowed: canWriteStock },
    { path: '/webhooks/new', label: t.webhooks.new, isAllowed: canWriteWebhooks },
    { path: '/keys/new', label: t.keys.new, isAllowed: isAdmin },
    { path: '/devices/commands', label: t.devices.commands, isAllowed: isAdmin },
    { path: '/locations/labels', label: t.labels.title, isAllowed: canReadStock },
  ].filter(({ isAllowed }) => isAllowed)
  return [
    ...screens.map(({ path, label }) => ({ path, label, note: t.search.page })),
    ...actions.map(({ path, label }) => ({ path, label, note: t.search.action })),
  ].filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
}
