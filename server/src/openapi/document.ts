import { generateOpenApiDocument } from 'trpc-to-openapi'
import { z } from 'zod'
import type { Endpoint } from '../procedures/endpoint.ts'
import { inputShape } from '../procedures/input-shape.ts'
import { proceduresOf } from '../procedures/procedures.ts'
import { topicsOf, type Slice } from '../procedures/slice.ts'
import { SLICES } from '../slices.ts'
import { API_VERSION, INFO } from './description.ts'
import { DEPRECATION_HEADERS, deprecationFields, deprecationHeaderNames, deprecationText } from './deprecation.ts'
import { responseExample, requestExample } from './examples.ts'
import { ERROR_CODE_SCHEMA, ERROR_DETAIL_SCHEMA, errorResponses, SHARED_RESPONSES } from './error-responses.ts'
import { AUTHENTICATED, HEADERS, headersOf, REPLAYED } from './response-headers.ts'
import { withoutZodNoise } from './json-schema.ts'
import { eventSchemas, WEBHOOK_PARAMETERS, webhookOperations } from './webhook-operations.ts'
import { described, type JsonObject, type Operation, type Parameter } from './types.ts'

const SECURITY_SCHEME = 'apiKey'

const IDEMPOTENCY_KEY: Parameter = {
  in: 'header',
  name: 'Idempotency-Key',
  required: false,
  description:
    'A unique value for this request, 1 to 255 characters. For 24 hours, the same key with the same request returns the first response again, with `Idempotency-Replayed: true`, and changes nothing.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

/** The OpenAPI document: the output of trpc-to-openapi, plus the API's envelope, errors and webhooks. */
export function openApiDocument(slices: readonly Slice[] = SLICES): JsonObject {
  const { endpoints, router } = proceduresOf(slices)
  const topics = topicsOf(slices)
  const generated = generateOpenApiDocument(router as never, {
    title: INFO.title,
    version: API_VERSION,
    baseUrl: '/api/v1',
    openApiVersion: '3.1.1',
  }) as unknown as { paths: Record<string, Record<string, Operation>>; components?: { schemas?: Record<string, JsonObject> } }

  const own = Object.entries(generated.components?.schemas ?? {}).filter(([name]) => !name.startsWith('error.'))
  const schemas: Record<string, JsonObject> = {
    ErrorCode: ERROR_CODE_SCHEMA,
    ErrorDetail: ERROR_DETAIL_SCHEMA,
    ...Object.fromEntries(own),
    ...eventSchemas(topics),
  }
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const endpoint of endpoints) {
    const { method, path } = endpoint
    const operation = generated.paths[path]?.[method.toLowerCase()]
    if (operation === undefined) throw new Error(`${endpoint.name} is missing from the generated document`)
    ;(paths[path] ??= {})[method.toLowerCase()] = operationOf(endpoint, operation, schemas)
  }
  return withoutZodNoise({
    openapi: '3.1.1',
    info: INFO,
    servers: [{ url: '/api/v1', description: 'This server' }],
    tags: slices.flatMap(({ tags }) => tags),
    security: [{ [SECURITY_SCHEME]: [] }],
    paths,
    webhooks: webhookOperations(topics),
    components: {
      schemas,
      parameters: WEBHOOK_PARAMETERS,
      responses: SHARED_RESPONSES,
      headers: { ...HEADERS, ...(endpoints.some(({ deprecated }) => deprecated) ? DEPRECATION_HEADERS : {}) },
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

type ExampleOf = (schema: JsonObject) => unknown

function operationOf(endpoint: Endpoint, generated: Operation, schemas: Record<string, JsonObject>): JsonObject {
  const { name, scope, method, path, summary, description, input, deprecated } = endpoint
  const parameters = (generated.parameters ?? []).map((parameter) => parameterOf(parameter, input))
  if (method !== 'GET') parameters.push(IDEMPOTENCY_KEY)
  const requestBody = requestBodyOf(generated, endpoint.itemsField, (schema) => requestExample(name, schema, schemas))
  const example = (data: JsonObject): unknown => responseExample(name, data, schemas)
  return {
    operationId: name,
    tags: [tagOf(path)],
    summary,
    description: [
      description,
      ...deprecationText(deprecated),
      ...(endpoint.isAddition === true ? [ADDITION] : []),
      `Scope: \`${scope}\`.`,
    ].join('\n\n'),
    ...deprecationFields(deprecated),
    ...(endpoint.isAddition === true ? { 'x-addition': true } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { 200: successResponse(generated, endpoint, example), ...errorResponses(endpoint, parameters) },
  }
}

/** A parameter with its description, which generators expect on the parameter itself, and its default, which trpc-to-openapi omits. */
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

/** The descriptions of an input's fields, including optional fields, which trpc-to-openapi omits. */
function textsOf(input: Endpoint['input']): Record<string, unknown> {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' }) as { properties?: Record<string, JsonObject> }
  return Object.fromEntries(Object.entries(properties).map(([name, { description }]) => [name, description]))
}

function tagOf(path: string): string {
  return path.split('/')[1] ?? ''
}

function successResponse(generated: Operation, { method, deprecated }: Endpoint, exampleOf: ExampleOf): JsonObject {
  const response = generated.responses['200']
  const data = response?.content?.['application/json']?.schema ?? {}
  const headers = [
    ...AUTHENTICATED,
    ...(method === 'GET' ? [] : REPLAYED),
    ...(deprecated === undefined ? [] : deprecationHeaderNames(deprecated)),
  ]
  return {
    description: 'The call succeeded.',
    headers: headersOf(headers),
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
  const description = arrayField === undefined ? {} : { description: FORMS_OF_BODY }
  return { required, ...description, content: { 'application/json': content } }
}

const FORMS_OF_BODY = 'One item, an array of items, or an object that holds the array.'

/** One item, an array of items, or an object that holds the array. */
function threeForms(schema: JsonObject, arrayField: string, exampleOf: ExampleOf): JsonObject {
  const array = (schema.properties as Record<string, JsonObject>)[arrayField] as JsonObject
  const forms = { one: array.items as JsonObject, several: array, object: schema }
  return {
    schema: { oneOf: Object.values(forms) },
    examples: Object.fromEntries(Object.entries(forms).map(([name, form]) => [name, { value: exampleOf(form) }])),
  }
}
