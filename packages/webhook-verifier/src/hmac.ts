import { bytesOfText, concat } from './bytes.ts'
import type { SignatureHeader } from './header.ts'

type Bytes = Uint8Array<ArrayBuffer>

/**
 * Finds the secret that signed the bytes "{t}.{raw body}" (spec 6.3.4). Calls `open` with its index, or -1, and with the
 * bytes that were verified.
 */
export type Matcher = <T>(
  signature: SignatureHeader,
  body: Uint8Array,
  open: (secretIndex: number, body: Uint8Array) => T,
) => T | Promise<T>
export type CreateMatcher = (secrets: readonly Bytes[]) => Matcher

// Derived from the function, because Node's types and the browser's declare CryptoKey in different places.
type HmacKey = Parameters<typeof crypto.subtle.verify>[1]

/** The WebCrypto implementation. `verify` compares in constant time, and every candidate is tried. */
export function createMatcher(secrets: readonly Bytes[]): Matcher {
  // Caches the keys and not their promises, because some edge runtimes cannot await another request's promise.
  const keys: HmacKey[] = []
  return async ({ timestamp, candidates }, body, open) => {
    // A copy, because the caller may change the body while WebCrypto works.
    const content = concat([bytesOfText(`${timestamp}.`), body])
    const matches = await Promise.all(
      secrets.map(async (secret, index) => {
        const key = (keys[index] ??= await importHmacKey(secret, 'verify'))
        const verdicts = await Promise.all(
          candidates.map((candidate) => crypto.subtle.verify('HMAC', key, fromHex(candidate), content)),
        )
        return verdicts.includes(true)
      }),
    )
    return open(matches.indexOf(true), content.subarray(timestamp.length + 1))
  }
}

export function importHmacKey(secret: Bytes, usage: 'sign' | 'verify'): Promise<HmacKey> {
  return crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [usage])
}

function fromHex(hex: string): Bytes {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}
