import { createHmac, createSecretKey } from 'node:crypto'

export type Signer = (timestampSec: number, body: Uint8Array) => string

/** Spec 6.3.3 and 6.3.4: one v1 for each secret, over the literal bytes `{t}.{raw body}`. */
export function createSigner(secrets: readonly string[]): Signer {
  const keys = secrets.map((secret) => createSecretKey(secret, 'utf8'))
  return (timestampSec, body) => {
    const signatures = keys.map((key) =>
      createHmac('sha256', key).update(`${timestampSec}.`).update(body).digest('hex'),
    )
    return [`t=${timestampSec}`, ...signatures.map((signature) => `v1=${signature}`)].join(',')
  }
}
