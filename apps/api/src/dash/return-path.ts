import { Refusal } from '@merchant-payments/contract'

const RETURN_PATH_CHARS_MAX = 1_000

export const DASHBOARD_PATH = '/dash/'

/**
 * Validates the path to which a browser goes after sign-in. It must be a path of this service. A long filter is left out,
 * because the path is kept in a cookie.
 *
 * @throws Refusal invalid_request naming return_to
 */
export function parseReturnPath(text: string | null, origin: string): string {
  if (text === null) return DASHBOARD_PATH
  // Browsers drop tabs and line ends and read a backslash as a slash, so such a path could lead elsewhere.
  const isPlain = /^\/(?!\/)[\x21-\x7e]*$/.test(text) && !text.includes('\\')
  const url = isPlain ? URL.parse(text, origin) : null
  const path = url?.pathname ?? ''
  if (url?.origin !== origin || path.startsWith('//') || path.length > RETURN_PATH_CHARS_MAX) {
    throw new Refusal('invalid_request', 'must be a path of this service, such as /dash/', {
      param: 'return_to',
    })
  }
  const whole = path + url.search + url.hash
  return whole.length <= RETURN_PATH_CHARS_MAX ? whole : path
}
