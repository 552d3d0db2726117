import type { AnyTRPCRouter } from '@trpc/server'
import { generateOpenApiDocument } from 'trpc-to-openapi'
import { z } from 'zod'
import { endpointsOf } from '../endpoints.ts'
import { inputShape } from '../input-shape.ts'
import { appRouter } from '../router.ts'
import type { Deprecation } from '../trpc.ts'
import { API_VERSION, INFO, TAGS } from './description.ts'
import { DEPRECATION_HEADERS, deprecationFields, deprecationHeaderNames, deprecationText } from './deprecation.ts'
import { answerExample, requestExample } from './examples.ts'
import { ERROR_CODE_SCHEMA, ERROR_DETAIL_SCHEMA, errorResponses, SHARED_RESPONSES } from './error-responses.ts'
import { withoutZodNoise } from './json-schema.ts'
import { eventSchemas, WEBHOOK_PARAMETERS, webhookOperations } from './webhook-operations.ts'
import { described, type JsonObject, type Operation, type Parameter } from './types.ts'

const SECURITY_SCHEME = 'apiKey'
const SUCCESS_HEADERS = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']

const IDEMPOTENCY_KEY: Parameter = {
  in: 'header',
  name: 'Idempotency-Key',
  required: false,
  description:
    'A value of your own for this call, 1 to 255 characters. For 24 hours, the same key with the same request gives the first answer again, with `Idempotency-Replayed: true`, and changes nothing.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

/** The OpenAPI document: what trpc-to-openapi makes of the procedures, with the envelope, the errors and the webhooks that the API really has. */
export function openApiDocument(router: AnyTRPCRouter = appRouter): JsonObject {
  const generated = generateOpenApiDocument(router as never, {
    title: INFO.title,
    version: API_VERSION,
    baseUrl: '/api/v1',
    openApiVersion: '3.1.1',
  }) as unknown as { paths: Record<string, Record<string, Operation>>; components?: { schemas?: Record<string, JsonObject> } }

  const endpoints = endpointsOf(router)
  const own = Object.entries(generated.components?.schemas ?? {}).filter(([name]) => !name.startsWith('error.'))
  const schemas: Record<string, JsonObject> = {
    ErrorCode: ERROR_CODE_SCHEMA,
    ErrorDetail: ERROR_DETAIL_SCHEMA,
    ...Object.fromEntries(own),
    ...eventSchemas(),
  }
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const endpoint of endpoints) {
    const { method, path } = endpoint.meta.openapi
    const operation = generated.paths[path]?.[method.toLowerCase()]
    if (operation === undefined) throw new Error(`${endpoint.name} is missing from the generated document`)
    ;(paths[path] ??= {})[method.toLowerCase()] = operationOf(endpoint, operation, schemas)
  }
  return withoutZodNoise({
    openapi: '3.1.1',
    info: INFO,
    servers: [{ url: '/api/v1', description: 'This server' }],
    tags: TAGS,
    security: [{ [SECURITY_SCHEME]: [] }],
    paths,
    webhooks: webhookOperations(),
    components: {
      schemas,
      parameters: WEBHOOK_PARAMETERS,
      responses: SHARED_RESPONSES,
      headers: { ...HEADERS, ...(endpoints.some(({ meta }) => meta.deprecated) ? DEPRECATION_HEADERS : {}) },
      securitySchemes: {
        [SECURITY_SCHEME]: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'API key of a tenant: `service_live_…`, or `service_test_…` for its sandbox.',
        },
      },
    },
  }) as JsonObject
}

const ADDITION = 'Addition: this operation is not part of the published API specification.'

type Endpoint = ReturnType<typeof endpointsOf>[number]
type ExampleOf = (schema: JsonObject) => unknown

function operationOf({ name, meta, input }: Endpoint, generated: Operation, schemas: Record<string, JsonObject>): JsonObject {
  const { method, path, summary, description } = meta.openapi
  const parameters = (generated.parameters ?? []).map((parameter) => parameterOf(parameter, input))
  if (method !== 'GET') parameters.push(IDEMPOTENCY_KEY)
  const requestBody = requestBodyOf(generated, meta.indexedInput, (schema) => requestExample(name, schema, schemas))
  const example = (data: JsonObject): unknown => answerExample(name, data, schemas)
  return {
    operationId: name,
    tags: [tagOf(path)],
    summary,
    description: [
      description ?? summary,
      ...deprecationText(meta.deprecated),
      ...(meta.extension === true ? [ADDITION] : []),
      `Scope: \`${meta.scope}\`.`,
    ].join('\n\n'),
    ...deprecationFields(meta.deprecated),
    ...(meta.extension === true ? { 'x-addition': true } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { 200: successResponse(generated, meta.deprecated, example), ...errorResponses(meta, parameters) },
  }
}

/** With its text on the parameter itself, where readers and generators look for it, and its default, which trpc-to-openapi leaves out. */
function parameterOf(parameter: Parameter, input: Endpoint['input']): Parameter {
  const { description: _, ...schema } = parameter.schema ?? {}
  const defaultValue = inputShape(input)[parameter.name]?.def.defaultValue
  return {
    in: parameter.in,
    name: parameter.name,
    required: parameter.in === 'path' || parameter.required === true,
    description: textsOf(input)[parameter.name],
    schema: defaultValue === undefined ? schema : { ...schema, default: defaultValue },
  }
}

/** The texts on an input's fields, those on what is optional among them, which trpc-to-openapi leaves out. */
function textsOf(input: Endpoint['input']): Record<string, unknown> {
  if (input === undefined) return {}
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' }) as { properties?: Record<string, JsonObject> }
  return Object.fromEntries(Object.entries(properties).map(([name, { description }]) => [name, description]))
}

function tagOf(path: string): string {
  return path.split('/')[1] ?? ''
}

function successResponse(generated: Operation, deprecated: Deprecation | undefined, exampleOf: ExampleOf): JsonObject {
  const response = generated.responses['200']
  const data = response?.content?.['application/json']?.schema ?? {}
  const headers = [...SUCCESS_HEADERS, ...(deprecated === undefined ? [] : deprecationHeaderNames(deprecated))]
  return {
    description: 'The call succeeded.',
    headers: Object.fromEntries(headers.map((header) => [header, { $ref: `#/components/headers/${header}` }])),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { success: SUCCEEDED, data: described(data, 'Result of the call.') },
          required: ['success', 'data'],
        },
        example: { success: true, data: exampleOf(data) },
      },
    },
  }
}

const SUCCEEDED = { type: 'boolean', enum: [true], description: 'true: the call succeeded.' }

/** A body is required when one of its fields is. */
function requestBodyOf(generated: Operation, arrayField: string | undefined, exampleOf: ExampleOf): JsonObject | undefined {
  const schema = generated.requestBody?.content['application/json']?.schema
  if (schema === undefined || Object.keys((schema.properties as object | undefined) ?? {}).length === 0) return undefined
  const required = Array.isArray(schema.required) && schema.required.length > 0
  const content = arrayField === undefined ? { schema, example: exampleOf(schema) } : threeForms(schema, arrayField, exampleOf)
  return { required, content: { 'application/json': content } }
}

/** One item, an array of items, or an object that holds the array. */
function threeForms(schema: JsonObject, arrayField: string, exampleOf: ExampleOf): JsonObject {
  const array = (schema.properties as Record<string, JsonObject>)[arrayField] as JsonObject
  const forms = { one: array.items as JsonObject, several: array, object: schema }
  return {
    schema: { oneOf: Object.values(forms) },
    examples: Object.fromEntries(Object.entries(forms).map(([name, form]) => [name, { value: exampleOf(form) }])),
  }
}

const HEADERS = {
  'X-Request-Id': {
    description: "Id of the request: the caller's own `X-Request-Id`, or a generated one.",
    schema: { type: 'string' },
  },
  'RateLimit-Limit': {
    description:
      'Requests allowed a minute, to the key or to all keys of the tenant together: of the limit that leaves less. Absent, like the other two, when both limits are off.',
    schema: { type: 'integer' },
  },
  'RateLimit-Remaining': { description: 'Requests left in the current minute.', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until the current minute ends.', schema: { type: 'integer' } },
}
