import { createMatcher } from './hmac-node.ts'
import { buildVerifier, type Verifier, type VerifierOptions } from './verifier.ts'

export { isWebhookVerificationError, WebhookVerificationError } from './error.ts'

/** The `createVerifier` of `index.ts` on node:crypto, for the export condition `node`. */
export function createVerifier(options: VerifierOptions): Verifier {
  return buildVerifier(options, createMatcher)
}
