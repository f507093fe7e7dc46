import { toBytes } from './bytes.ts'

/** An endpoint secret. A text is encoded as UTF-8, as the service does. */
export type WebhookSecret = string | Uint8Array

export function bytesOfSecrets(secrets: WebhookSecret | readonly WebhookSecret[]): Uint8Array<ArrayBuffer>[] {
  const list = [secrets].flat()
  if (list.length === 0) throw new TypeError('secrets is empty')
  return list.map((secret) => {
    const bytes = toBytes(secret)
    // Anyone can sign with an empty key.
    if (!bytes?.length) throw new TypeError('a secret must be a non-empty string or Uint8Array')
    return new Uint8Array(bytes)
  })
}
