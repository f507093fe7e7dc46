import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { builds, bytes, now, secrets, signature, timestampSec } from './fixture.ts'
import { isWebhookVerificationError, type WebhookVerificationErrorCode } from './index.ts'
import { signPayload } from './testing.ts'

const body = fc.uint8Array({ maxLength: 200 })
const secret = fc.oneof(fc.string({ minLength: 1, unit: 'binary' }), fc.uint8Array({ minLength: 1 }))

describe.each(builds)('by $build', ({ createVerifier }) => {
  const codeOf = async (outcome: Promise<unknown>): Promise<WebhookVerificationErrorCode | undefined> => {
    try {
      await outcome
      return undefined
    } catch (error) {
      if (isWebhookVerificationError(error)) return error.code
      throw error
    }
  }

  test('any bytes signed with any known secret pass the signature check', async () => {
    const property = fc.asyncProperty(
      body,
      fc.array(secret, { minLength: 1, maxLength: 4 }),
      async (body, secrets) => {
        const header = await signPayload({ payload: body, secrets, timestampSec })
        // Random bytes are no event. The verifier finds that out only after the signature has matched.
        expect(await codeOf(createVerifier({ secrets, now }).verify(body, header))).toBe('invalid_json')
      },
    )
    await fc.assert(property)
  })

  test('any JSON in any event is returned as it was sent', async () => {
    const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())
    const property = fc.asyncProperty(object, async (object) => {
      const event = {
        id: 'evt_1',
        object: 'event',
        type: 'invoice.paid',
        created: 1,
        livemode: false,
        data: { object },
      }
      const payload = JSON.stringify(event)
      const header = await signPayload({ payload, secrets, timestampSec })
      expect(await createVerifier({ secrets, now }).verify(payload, header)).toEqual(JSON.parse(payload))
    })
    await fc.assert(property)
  })

  test('any one bit flipped in the body is a mismatch [§6.3.4]', async () => {
    const verifier = createVerifier({ secrets, now })
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length * 8 - 1), async (bit) => {
        expect(await codeOf(verifier.verify(flip(bytes, bit), signature))).toBe('signature_mismatch')
      }),
    )
  })

  test('any one bit flipped in the header is refused, also without a tolerance', async () => {
    const verifier = createVerifier({ secrets, toleranceSec: Number.POSITIVE_INFINITY })
    const header = Buffer.from(signature, 'latin1')
    await fc.assert(
      fc.asyncProperty(fc.nat(header.length * 8 - 1), async (bit) => {
        const flipped = Buffer.from(flip(header, bit)).toString('latin1')
        expect(await codeOf(verifier.verify(bytes, flipped))).toMatch(
          /^(malformed_header|no_v1_signature|signature_mismatch)$/,
        )
      }),
    )
  })

  test('no headers or body make it throw another error than its own', async () => {
    const verifier = createVerifier({ secrets, now })
    const piece = fc.oneof(
      fc.constantFrom('t=', `t=${timestampSec}`, 'v1=', 'v0=', ',', '=', ' ', '\n', '0'.repeat(64)),
      fc.string({ unit: 'binary' }),
    )
    const text = fc.array(piece).map((pieces) => pieces.join(''))
    const anything = fc.anything({
      withMap: true,
      withNullPrototype: true,
      withTypedArray: true,
      withSparseArray: true,
    })
    const value = fc.oneof(text, fc.array(text), anything)
    const headers = fc.oneof(
      text,
      anything,
      fc.record({ 'Service-Signature': value, 'compat-signature': value }),
    )
    await fc.assert(
      fc.asyncProperty(headers, fc.oneof(body, anything), async (headers, body) => {
        expect(await codeOf(verifier.verify(body as never, headers as never))).toBeTypeOf('string')
      }),
    )
  })
})

function flip(source: Uint8Array, bit: number): Uint8Array {
  return source.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
}
