/**
 * The reason why an attempt has no status. Operators filter by these stable words. They never contain a host
 * or an address.
 */
export type ErrorWord =
  | 'timeout'
  | 'connect_refused'
  | 'dns_failure'
  | 'tls_failure'
  | 'reset'
  | 'address_refused'
  | 'too_large'
  | 'protocol_error'
  | 'other'

export const INTERIM_ANSWERS = 'INTERIM_ANSWERS'

const words: readonly (readonly [RegExp, ErrorWord])[] = [
  [/^(UND_ERR_ABORTED|UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'timeout'],
  [/^ECONNREFUSED$/, 'connect_refused'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/, 'reset'],
  [/^(UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)$/, 'too_large'],
  [/^(HPE_|HTTPParserError$|UND_ERR_RES_|UND_ERR_INVALID_|INTERIM_ANSWERS$)/, 'protocol_error'],
  // OpenSSL's codes, and Node's names for certificate errors.
  [
    /^(EPROTO$|ERR_SSL_|ERR_TLS_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERROR_IN_CERT_|INVALID_|PATH_LENGTH_)/,
    'tls_failure',
  ],
  [/^HOSTNAME_MISMATCH$/, 'tls_failure'],
]

export function errorWord(error: unknown): ErrorWord {
  if (!(error instanceof Error)) return 'other'
  const mark = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return words.find(([pattern]) => pattern.test(mark))?.[1] ?? 'other'
}
