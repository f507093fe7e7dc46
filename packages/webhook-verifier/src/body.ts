import { concat, toBytes } from './bytes.ts'
import { WebhookVerificationError } from './error.ts'
import type { HeadersLike } from './header.ts'

/** The body as received. A string is encoded as UTF-8; prefer bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer

/** The part of a Fetch `Request` that this package uses. */
export interface WebhookRequest {
  /** The headers of the request, with that of the signature. */
  readonly headers: HeadersLike
  /** Whether the body was read before. Its bytes are then gone, and the request is refused. */
  readonly bodyUsed: boolean
  /** The bytes as a stream; null of a request without a body. */
  readonly body: WebhookRequestBody | null
}

/** The part of a `ReadableStream` that this package uses. */
// Streams are async iterables in every server runtime, but not in every version of TypeScript's types.
export interface WebhookRequestBody extends Partial<AsyncIterable<Uint8Array>> {
  /** Whether a reader has the stream. The request is then refused. */
  readonly locked: boolean
}

/** The bytes of a body that is already in memory. */
export function bytesOfBody(body: RawBody, maxBytes: number): Uint8Array {
  const bytes = toBytes(body)
  if (bytes === undefined) throw new WebhookVerificationError('body_not_raw')
  if (bytes.byteLength > maxBytes) throw new WebhookVerificationError('payload_too_large')
  return bytes
}

/** Reads a request's body and stops once it exceeds the limit. */
export async function readBody(request: WebhookRequest, maxBytes: number): Promise<Uint8Array> {
  const { body } = request
  if (request.bodyUsed || body?.locked) throw new WebhookVerificationError('body_not_raw')
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop by a throw cancels the stream.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new WebhookVerificationError('payload_too_large')
    chunks.push(chunk)
  }
  return concat(chunks)
}
