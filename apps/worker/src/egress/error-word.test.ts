import { expect, test } from 'vitest'
import { errorWord } from './error-word.ts'

test.each([
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['UND_ERR_ABORTED', 'timeout'],
  ['ETIMEDOUT', 'timeout'],
  ['ECONNREFUSED', 'connect_refused'],
  ['ECONNRESET', 'reset'],
  ['EPIPE', 'reset'],
  ['UND_ERR_SOCKET', 'reset'],
  ['UND_ERR_HEADERS_OVERFLOW', 'too_large'],
  ['HPE_HEADER_OVERFLOW', 'too_large'],
  ['HPE_INVALID_CONSTANT', 'protocol_error'],
  ['HPE_INVALID_CONTENT_LENGTH', 'protocol_error'],
  ['INTERIM_ANSWERS', 'protocol_error'],
  ['EPROTO', 'tls_failure'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_failure'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_failure'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_failure'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls_failure'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_failure'],
  ['CERT_HAS_EXPIRED', 'tls_failure'],
  ['INVALID_CA', 'tls_failure'],
  ['EHOSTUNREACH', 'other'],
])('%s reads %s', (code, word) => {
  expect(errorWord(Object.assign(new Error('connect 10.0.0.1:443'), { code }))).toBe(word)
})

test('an error without a code is other', () => {
  expect(errorWord(new Error('boom'))).toBe('other')
  expect(errorWord('boom')).toBe('other')
})
