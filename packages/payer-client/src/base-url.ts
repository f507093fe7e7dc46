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
 * fragment or backslash.
 */
const shape = /^(https?):\/\/[^\s/\\?#@]+(?:\/[^\s\\?#@]*)?$/i

/** Returns the base URL without a trailing slash. Error messages never contain the URL. */
export function readBaseUrl(baseUrl: string, insecureAllowed: boolean): string {
  const [, scheme] = shape.exec(baseUrl) ?? []
  if (scheme === undefined) throw new TypeError('baseUrl must be a URL, such as https://a.example')
  // Spec 4.6: plain http is refused unless the option allows it.
  if (scheme.toLowerCase() !== 'https' && !insecureAllowed) {
    throw new TypeError('baseUrl must be https, without [allowInsecureBaseUrl]')
  }
  return baseUrl.replace(/\/+$/, '')
}
