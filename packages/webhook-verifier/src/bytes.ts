let encoder: { encode(text: string): Uint8Array } | undefined

/** Makes the encoder at the first use: where there is none, as in the jsdom of Jest, the package can still be imported. */
export const bytesOfText = (text: string): Uint8Array => (encoder ??= new TextEncoder()).encode(text)

/** Returns the bytes of a text or buffer, or undefined for anything else. Only text is copied. */
export function toBytes(value: unknown): Uint8Array | undefined {
  if (typeof value === 'string') return bytesOfText(value)
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  return isArrayBuffer(value) ? new Uint8Array(value) : undefined
}

export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((bytes, part) => bytes + part.byteLength, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.byteLength
  }
  return whole
}

// Compares the tag instead of using instanceof, because some test runners pass buffers of another realm.
function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]'
}
