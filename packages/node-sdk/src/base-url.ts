/**
 * Option that lets a client send its token over plain http to a host other than this machine. It is a symbol, so that no
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

/** The base URL without a slash at its end. A message never repeats the URL, which may carry credentials. */
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
      'baseUrl must be https: over plain http anyone on the way can take the token. Set [allowInsecureBaseUrl] to allow it.',
    )
  }
  return origin + pathname.replace(/\/+$/, '')
}

const isLoopback = (hostname: string) =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127(?:\.\d{1,3}){3}$/.test(hostname)
