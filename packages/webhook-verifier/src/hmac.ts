type Bytes = Uint8Array<ArrayBuffer>

/** Whether any candidate, in hexadecimal digits, is the HMAC-SHA256 of the content under one secret. */
export type Matcher = (content: Bytes, candidates: readonly string[]) => Promise<boolean>
export type CreateMatcher = (secret: Bytes) => Matcher

// Derived from the function, because Node's types and the browser's declare CryptoKey in different places.
type HmacKey = Parameters<typeof crypto.subtle.verify>[1]

/** The WebCrypto implementation. `verify` compares in constant time, and every candidate is tried. */
export function createMatcher(secret: Bytes): Matcher {
  // Caches the key and not its promise, because some edge runtimes cannot await another request's promise.
  let key: HmacKey | undefined
  return async (content, candidates) => {
    const imported = (key ??= await importHmacKey(secret, 'verify'))
    const verdicts = await Promise.all(
      candidates.map((candidate) => crypto.subtle.verify('HMAC', imported, fromHex(candidate), content)),
    )
    return verdicts.includes(true)
  }
}

export function importHmacKey(secret: Bytes, usage: 'sign' | 'verify'): Promise<HmacKey> {
  return crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [usage])
}

function fromHex(hex: string): Bytes {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}
