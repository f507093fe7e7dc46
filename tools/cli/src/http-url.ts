import { exitCodes, Failure } from './failure.ts'

/** @throws {Failure} if it is no address of a web server */
export function requireHttpUrl(flag: string, text: string): void {
  if (/^https?:$/.test(protocolOf(text))) return
  // The part before an at sign may be a password.
  const shown = text.includes('@') ? '' : `: ${text}`
  throw new Failure(`${flag} must be an http or https address${shown}`, exitCodes.usage)
}

/**
 * For an address that a client or the service uses: neither takes one with credentials.
 *
 * @throws {Failure} if it is no address of a web server, or has credentials
 */
export function requireBareUrl(flag: string, text: string): void {
  requireHttpUrl(flag, text)
  const { username, password } = new URL(text)
  if (username === '' && password === '') return
  throw new Failure(`${flag} must have no credentials: leave out what is before the @`, exitCodes.usage)
}

// URL.parse is newer than Node 20.
function protocolOf(text: string): string {
  try {
    return new URL(text).protocol
  } catch {
    return ''
  }
}
