/**
 * Option that lets a client send its secret over plain http, this machine included. It is a symbol, so that no
 * configuration file can set it by accident.
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
export const allowInsecureBaseUrl: unique symbol = Symbol('allowInsecureBaseUrl')

/** Not by `URL`, which React Native has only in part. No credentials, query, fragment or backslash. */
const shape = /^(https?):\/\/[^\s/\\?#@]+(?:\/[^\s\\?#@]*)?$/i

/** The base URL without a slash at its end. A message never repeats the URL. */
export function readBaseUrl(baseUrl: string, insecureAllowed: boolean): string {
  const [, scheme] = shape.exec(baseUrl) ?? []
  if (scheme === undefined) throw new TypeError('baseUrl must be a URL, such as https://a.example')
  // Spec 4.6: refused unless explicitly told otherwise.
  if (scheme.toLowerCase() !== 'https' && !insecureAllowed) {
    throw new TypeError('baseUrl must be https, without [allowInsecureBaseUrl]')
  }
  return baseUrl.replace(/\/+$/, '')
}
