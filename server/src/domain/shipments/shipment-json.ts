import { eventData, jsonText } from '../events/index.ts'
import { packageFields, packageLine, shipmentFields } from './schemas.ts'
import { shipmentUpdated, trackedPackage } from './shipment-topics.ts'

const LINE = jsonText(packageLine, {
  order_detail_id: 'l.order_line_id',
  product_id: 'l.product_id',
  quantity: 'l.quantity',
})

const PACKAGE = jsonText(packageFields, {
  number: 'k.number',
  weight: 'k.weight',
  width: 'k.width',
  height: 'k.height',
  depth: 'k.depth',
  carrier: 'k.carrier',
  tracking_number: 'k.tracking_number',
  tracking_url: 'k.tracking_url',
  label_url: 'k.label_url',
})

const RECORD = jsonText(shipmentFields, {
  id: 'r.id',
  reference: 'r.reference',
  order_id: 'r.order_id',
  order_tenant_id: 'r.order_tenant_id',
  warehouse_id: 'r.warehouse_id',
  state: 'r.state',
  total_quantity: 'r.total_quantity',
  created_by: 'r.created_by',
  created_at: 'r.created_at',
  updated_at: 'r.updated_at',
  shipped_at: 'r.shipped_at',
  delivered_at: 'r.delivered_at',
  cancelled_at: 'r.cancelled_at',
  cancellation_reason: 'r.cancellation_reason',
})

const LINES = `coalesce((
         select string_agg(${LINE}, ',' order by l.id) from shipment_lines l
         where l.tenant_id = $1 and l.record_id = k.record_id and l.package_number = k.number
       ), '')`

const PACKAGES = `coalesce((
       select string_agg(left(${PACKAGE}, -1) || ',"lines":[' || ${LINES} || ']}', ',' order by k.number)
       from shipment_packages k where k.tenant_id = $1 and k.record_id = r.id
     ), '')`

/** SQL for the JSON of a shipment `r`, as the API shows it. */
export const SHIPMENT_JSON = `(left(${RECORD}, -1) || ',"packages":[' || ${PACKAGES} || ']}')::json`

const TRACKED = jsonText(trackedPackage, {
  number: 'k.number',
  carrier: 'k.carrier',
  tracking_number: 'k.tracking_number',
  tracking_url: 'k.tracking_url',
})

/**
 * SQL for the `data` of the event of a shipment `r`. `previousState` and `status` are SQL; `packages` is a relation with its packages, with
 * a condition on `r` where it has others'.
 */
export const shipmentUpdatedData = (previousState: string, status: string, packages: string): string =>
  eventData(shipmentUpdated, {
    shipment_id: 'r.id',
    reference: 'r.reference',
    order_id: 'r.order_id',
    order_tenant_id: 'r.order_tenant_id',
    warehouse_id: 'r.warehouse_id',
    state: 'r.state',
    previous_state: previousState,
    shipment_status: status,
    packages: `select ('[' || coalesce(string_agg(${TRACKED}, ',' order by k.number), '') || ']')::json from ${packages}`,
    updated_at: 'r.updated_at',
  })

/** The packages of a shipment `r`, for its event. */
export const PACKAGES_OF_RECORD = 'shipment_packages k where k.tenant_id = $1 and k.record_id = r.id'
