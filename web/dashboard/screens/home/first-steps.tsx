import type { FulfillmentClient } from '@fulfillment/sdk'
import { useQuery } from '@tanstack/react-query'
import { curlOf, requestOf } from '../../../shared/curl.ts'
import { localToday } from '../../../shared/local-today.ts'
import { t } from '../../../shared/texts/texts.ts'
import { usePublicOrigin } from '../../data/session.tsx'
import { Button } from '../../kit/button.tsx'
import { copyText } from '../../kit/copy-text.tsx'
import styles from './home.module.css'

const BARCODE = '4006381333931'
const ORDER = 'FIRST-1'

/** What a new tenant does first, in the order of the texts. */
const STEPS: readonly ((api: FulfillmentClient) => PromiseLike<unknown>)[] = [
  (api) => api.products.create({ name: 'Green tea', barcode: BARCODE, sku: 'TEA' }),
  (api) => api.stock.adjust({ sku: 'TEA', location_id: 'A-01-03', adjustment_quantity: 25 }),
  (api) =>
    api.orders.create({
      order_tenant_id: ORDER,
      assembly_date: localToday(),
      order_detail: [{ barcode: BARCODE, quantity: 2 }],
    }),
  (api) => api.flows.start({ order_tenant_id: ORDER, operator_email: 'ada@example.com' }),
  (api) => api.webhooks.create({ name: 'shop', url: 'https://shop.example/hooks', events: ['*'] }),
]

/** The first calls of a new tenant, as commands. They are copied; the page carries none of them out. */
export function FirstSteps() {
  const origin = usePublicOrigin()
  const { data: commands = [] } = useQuery({
    queryKey: ['first steps', origin],
    queryFn: () => Promise.all(STEPS.map((call) => commandOf(call, origin))),
    staleTime: Infinity,
  })
  return (
    <>
      <p>{t.home.firstStepsText}</p>
      <ol aria-label={t.home.firstSteps} role="list" className={styles.steps}>
        {commands.map((command, index) => {
          const step = t.home.steps[index] ?? ''
          return (
            <li key={step}>
              <h2>{step}</h2>
              <pre>{command}</pre>
              <Button kind="quiet" onPress={() => void copyText(command, t.home.copied)}>
                {t.home.copyStep(step)}
              </Button>
            </li>
          )
        })}
      </ol>
    </>
  )
}

async function commandOf(call: (api: FulfillmentClient) => PromiseLike<unknown>, origin: string): Promise<string> {
  const request = await requestOf(call, origin)
  return request === undefined ? '' : curlOf(request)
}
