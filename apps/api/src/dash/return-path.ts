import { Refusal } from '@merchant-payments/contract'

const RETURN_PATH_CHARS_MAX = 1_000

/** Where the dashboard is served. */
export const DASHBOARD_PATH = '/dash/'

/**
 * Where a browser goes once it is signed in: a path of ours, and of nobody else's.
 *
 * @throws Refusal invalid_request naming return_to
 */
export function parseReturnPath(text: string | null, origin: string): string {
  if (text === null) return DASHBOARD_PATH
  // Browsers drop tabs and line ends, and take a backslash for a slash: neither may be there to be read in two ways.
  const isPlain = /^\/(?!\/)[\x21-\x7e]*$/.test(text) && !text.includes('\\')
  const url = isPlain && text.length <= RETURN_PATH_CHARS_MAX ? URL.parse(text, origin) : null
  if (url === null || url.origin !== origin || url.pathname.startsWith('//')) {
    throw new Refusal('invalid_request', 'must be a path of this service, such as /dash/', {
      param: 'return_to',
    })
  }
  return url.pathname + url.search + url.hash
}
