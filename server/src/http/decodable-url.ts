const NO_CHARACTER = '%00'

/**
 * The URL with each part of its path that is not percent-encoded UTF-8 replaced by U+0000, which no record has in its name: such a path
 * gets the answer that any other wrong id gets, from the same endpoint.
 */
export function decodableUrl(url: string): string {
  const [path = '', ...query] = url.split('?')
  if (!path.includes('%')) return url
  return [path.split('/').map(decodable).join('/'), ...query].join('?')
}

function decodable(part: string): string {
  try {
    decodeURIComponent(part)
    return part
  } catch {
    return NO_CHARACTER
  }
}
