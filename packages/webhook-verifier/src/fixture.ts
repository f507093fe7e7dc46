import { createVerifier } from './index.ts'
import { createVerifier as createNodeVerifier } from './index-node.ts'
import { createTestEvent, signPayload } from './testing.ts'

// Shared by the tests: one signed delivery, and the two builds that must treat it alike.
export const builds = [
  { build: 'WebCrypto', createVerifier },
  { build: 'node:crypto', createVerifier: createNodeVerifier },
]

export const secrets = 'whsec_test_0123456789abcdef0123456789'
export const timestampSec = 1_700_000_000
export const now = (): number => timestampSec * 1_000

export const event = createTestEvent('payment_intent.succeeded')
export const payload = JSON.stringify(event)
export const bytes = new TextEncoder().encode(payload)
export const signature = await signPayload({ payload, secrets, timestampSec })
export const forged = `t=${timestampSec},v1=${'0'.repeat(64)}`
