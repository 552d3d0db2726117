/** The path of a URL: of `originalUrl` as it was requested, of `url` as it is routed. */
export function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? ''
}
