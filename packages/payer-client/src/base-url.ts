/**
 * Option that lets a client send its secret over plain http, even to this machine. It is a symbol, so that no
 * configuration file can set it by accident. Every copy of this package has the same symbol.
 *
 * @example
 * ```ts
 * const client = createPayerClient({
 *   baseUrl: 'http://localhost:8080',
 *   clientSecret,
 *   publishableKey,
 *   [allowInsecureBaseUrl]: true,
 * })
 * ```
 */
export const allowInsecureBaseUrl: unique symbol = Symbol.for(
  '@merchant-payments/payer-client.allowInsecureBaseUrl',
)

/**
 * A pattern instead of `URL`, which React Native implements only in part. Allows no credentials, query,
 * fragment or backslash, and no /v1 at the end, which the client adds.
 */
const shape = /^http(s?):\/\/[^\s/\\?#@]+(?:\/(?!v1\/*$)[^\s/\\?#@]*)*$/i

/** Returns the base URL without a trailing slash. Error messages never contain the URL. */
export function readBaseUrl(baseUrl: string, insecureAllowed: boolean): string {
  const [, secure] = shape.exec(baseUrl) ?? []
  if (secure === undefined) throw new TypeError('baseUrl must be a URL like https://a.example, without /v1')
  // Spec 4.6: plain http is refused unless the option allows it.
  if (secure === '' && !insecureAllowed) {
    throw new TypeError('baseUrl must be https, without [allowInsecureBaseUrl]')
  }
  return baseUrl.replace(/\/+$/, '')
}
