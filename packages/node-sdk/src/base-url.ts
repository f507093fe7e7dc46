/**
 * Option that lets a client send its token over plain http to another host. It is a symbol, so that no
 * configuration file can set it by accident.
 *
 * @example
 * ```ts
 * const payments = createMerchantPayments({
 *   baseUrl: 'http://api.internal:3000',
 *   clientId,
 *   privateKey,
 *   [allowInsecureBaseUrl]: true,
 * })
 * ```
 */
export const allowInsecureBaseUrl: unique symbol = Symbol('allowInsecureBaseUrl')

/** The base URL without its final slash. Messages never quote the URL, which may contain credentials. */
export function readBaseUrl(baseUrl: string, insecureAllowed: boolean): string {
  if (!URL.canParse(baseUrl))
    throw new TypeError('baseUrl must be a URL, such as https://payments.example.com')
  const { protocol, hostname, origin, pathname, username, password, search, hash } = new URL(baseUrl)
  if (username !== '' || password !== '' || search !== '' || hash !== '') {
    throw new TypeError('baseUrl must have no credentials, query or fragment')
  }
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('baseUrl must be an https URL')
  if (protocol === 'http:' && !isLoopback(hostname) && !insecureAllowed) {
    throw new TypeError(
      'baseUrl must be https: plain http exposes the token to anyone on the network path. Set [allowInsecureBaseUrl] to allow it.',
    )
  }
  const path = pathname.replace(/\/+$/, '')
  if (path.endsWith('/v1')) throw new TypeError('baseUrl must end before /v1, which the client adds')
  return origin + path
}

const isLoopback = (hostname: string) =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127(?:\.\d{1,3}){3}$/.test(hostname)
