import { expectTypeOf, test } from 'vitest'
import type { WebhookPluginOptions } from './fastify.ts'
import type { VerifierOptions } from './index.ts'
import type { SignPayloadOptions, TestEventOptions } from './testing.ts'

const verifier = {
  secrets: 'a',
  toleranceSec: undefined,
  bodyMaxBytes: undefined,
  now: undefined,
  header: undefined,
}

test('an option that may be left out may also be undefined, as a settings object has it', () => {
  const plugin = { ...verifier, onRefused: undefined, path: undefined, onEvent: () => undefined }
  const event = { id: undefined, created: undefined, livemode: undefined, object: undefined }
  expectTypeOf(verifier).toExtend<VerifierOptions>()
  expectTypeOf(plugin).toExtend<WebhookPluginOptions>()
  expectTypeOf({ payload: '', secrets: 'a', timestampSec: undefined }).toExtend<SignPayloadOptions>()
  expectTypeOf(event).toExtend<TestEventOptions<'invoice.paid'>>()
})
