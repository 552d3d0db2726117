/** Calls the service. Throws unless the call succeeds. */
export async function call<Data>(
  server: { port: number },
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<Data> {
  const response = await fetch(`http://127.0.0.1:${server.port}/api/v1${path}`, {
    method,
    headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const envelope = (await response.json()) as { success: boolean; data: Data }
  if (!envelope.success) throw new Error(`${method} ${path} responded with ${JSON.stringify(envelope)}`)
  return envelope.data
}
