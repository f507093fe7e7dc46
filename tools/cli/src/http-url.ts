import { exitCodes, Failure } from './failure.ts'

/** @throws {Failure} if it is no address of a web server */
export function requireHttpUrl(flag: string, text: string): void {
  if (/^https?:$/.test(protocolOf(text))) return
  throw new Failure(`${flag} must be an http or https address: ${text}`, exitCodes.usage)
}

// URL.parse is newer than Node 20.
function protocolOf(text: string): string {
  try {
    return new URL(text).protocol
  } catch {
    return ''
  }
}
