const NO_CHARACTER = '%00'

/**
 * The URL, with each path segment that is not percent-encoded UTF-8 replaced by U+0000. No id contains U+0000, so the same endpoint
 * responds as to any other invalid id.
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
