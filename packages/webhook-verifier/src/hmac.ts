type Bytes = Uint8Array<ArrayBuffer>

/** Says whether any candidate, in hexadecimal digits, is the HMAC-SHA256 of the content under one secret. */
export type Matcher = (content: Bytes, candidates: readonly string[]) => Promise<boolean>
export type CreateMatcher = (secret: Bytes) => Matcher

// Named through the function: Node's types and the browser's disagree on where CryptoKey lives.
type HmacKey = Parameters<typeof crypto.subtle.verify>[1]

/** WebCrypto's half of the seam: `verify` compares in constant time, and every candidate is tried. */
export function createMatcher(secret: Bytes): Matcher {
  // The key is kept, not the promise of it: some edge runtimes cannot await another request's promise.
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
