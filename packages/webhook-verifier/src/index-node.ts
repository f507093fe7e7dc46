import { createMatcher } from './hmac-node.ts'
import { buildVerifier, type Verifier, type VerifierOptions } from './verifier.ts'

export { isWebhookVerificationError, WebhookVerificationError } from './error.ts'

/** The `createVerifier` of `index.ts`, on node:crypto: what the export condition `node` resolves to. */
export function createVerifier(options: VerifierOptions): Verifier {
  return buildVerifier(options, createMatcher)
}
