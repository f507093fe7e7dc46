import { concat, toBytes } from './bytes.ts'
import { WebhookVerificationError } from './error.ts'
import type { HeadersLike } from './header.ts'

/** The body as it was received. A string is taken as UTF-8; bytes are the safer choice. */
export type RawBody = string | Uint8Array | ArrayBuffer

/** What this package needs of a Fetch `Request`, whoever implements it. */
export interface WebhookRequest {
  readonly headers: HeadersLike
  readonly bodyUsed: boolean
  // Streams iterate in every server runtime, but not in the type library of every TypeScript version.
  readonly body: ({ readonly locked: boolean } & Partial<AsyncIterable<Uint8Array>>) | null
}

/** The bytes of a body that is already in memory. */
export function bytesOfBody(body: RawBody, maxBytes: number): Uint8Array {
  const bytes = toBytes(body)
  if (bytes === undefined) throw new WebhookVerificationError('body_not_raw')
  if (bytes.byteLength > maxBytes) throw new WebhookVerificationError('payload_too_large')
  return bytes
}

/** Reads a request's body, and stops at the limit rather than after it. */
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
