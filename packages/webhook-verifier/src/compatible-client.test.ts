import fc from 'fast-check'
import { Stripe } from 'stripe'
import { describe, expect, test } from 'vitest'
import { builds, event, now, payload, secrets, signature, timestampSec } from './fixture.ts'
import { signPayload } from './testing.ts'

/** The test imports a hundred keys on threads that are slow on a loaded machine. */
const MANY_TEXTS_MS = 30_000

// Spec 9.3: signature verification carries over, so the client of the compatible API checks ours
// independently.
const { webhooks } = Stripe

describe('the client of the compatible API', () => {
  test('accepts a header made here, until it is 300 s old [§6.3.4, §9.3]', () => {
    const at = (ageSec: number): unknown =>
      webhooks.constructEvent(payload, signature, secrets, undefined, undefined, now() + ageSec * 1_000)
    expect(at(300)).toEqual(event)
    expect(() => at(301)).toThrow('Timestamp outside the tolerance zone')
  })

  test('accepts either secret during rotation', async () => {
    const header = await signPayload({ payload, secrets: ['new', 'old'], timestampSec })
    for (const secret of ['new', 'old']) {
      expect(webhooks.constructEvent(payload, header, secret, undefined, undefined, now())).toEqual(event)
    }
  })

  test('signs any text with any secret as this package does', { timeout: MANY_TEXTS_MS }, async () => {
    const secret = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => text.trim() !== '')
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary' }),
        secret,
        fc.integer({ min: 1 }),
        async (payload, secret, timestampSec) => {
          expect(await signPayload({ payload, secrets: secret, timestampSec })).toBe(
            webhooks.generateTestHeaderString({ payload, secret, timestamp: timestampSec }),
          )
        },
      ),
    )
  })

  test.each(builds)('makes headers that are accepted here, by $build', async ({ createVerifier }) => {
    const header = webhooks.generateTestHeaderString({ payload, secret: secrets, timestamp: timestampSec })
    expect(await createVerifier({ secrets, now }).verify(payload, header)).toEqual(event)
  })
})
