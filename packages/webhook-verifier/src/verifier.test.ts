import { describe, expect, test } from 'vitest'
import { builds, bytes, event, now, payload, secrets, signature, timestampSec } from './fixture.ts'
import * as webCrypto from './index.ts'
import * as node from './index-node.ts'
import { signPayload } from './testing.ts'

test('both builds export the same', () => {
  expect(Object.keys(node)).toEqual(Object.keys(webCrypto))
})

describe.each(builds)('$build', ({ createVerifier }) => {
  describe('the clock', () => {
    test('is that of the machine by default', async () => {
      const fresh = await signPayload({ payload, secrets })
      expect(await createVerifier({ secrets }).verify(bytes, fresh)).toEqual(event)
      await expect(createVerifier({ secrets }).verify(bytes, signature)).rejects.toMatchObject({
        code: 'timestamp_too_old',
      })
    })

    test('counts whole seconds, so that the last moment of the 300th still passes [§6.3.4, §8]', async () => {
      const late = createVerifier({ secrets, now: () => (timestampSec + 300) * 1_000 + 999 })
      expect(await late.verify(bytes, signature)).toEqual(event)
    })

    test('has the configured tolerance, both ways', async () => {
      const at = (ageSec: number) =>
        createVerifier({ secrets, toleranceSec: 10, now: () => (timestampSec + ageSec) * 1_000 }).verify(
          bytes,
          signature,
        )
      expect(await at(10)).toEqual(event)
      expect(await at(-10)).toEqual(event)
      await expect(at(11)).rejects.toMatchObject({ code: 'timestamp_too_old' })
      await expect(at(-11)).rejects.toMatchObject({ code: 'timestamp_too_new' })
    })

    test('is ignored only when the tolerance is Infinity', async () => {
      const anytime = createVerifier({ secrets, toleranceSec: Number.POSITIVE_INFINITY, now: () => 0 })
      expect(await anytime.verify(bytes, signature)).toEqual(event)
    })

    test('refuses everything if it is broken', async () => {
      const broken = createVerifier({ secrets, now: () => Number.NaN })
      await expect(broken.verify(bytes, signature)).rejects.toMatchObject({ code: 'timestamp_too_old' })
    })
  })

  describe('a secret', () => {
    test('given as bytes is used unchanged, and copied', async () => {
      const key = Uint8Array.from({ length: 32 }, (_, i) => 255 - i)
      const signed = await signPayload({ payload, secrets: key, timestampSec })
      const keyed = createVerifier({ secrets: [secrets, key], now })
      key.fill(0)
      expect(await keyed.verifyDetailed(bytes, signed)).toEqual({ event, secretIndex: 1 })
    })

    test('is the first one if several match', async () => {
      const signed = await signPayload({ payload, secrets: ['b', 'a'], timestampSec })
      const both = createVerifier({ secrets: ['a', 'b'], now })
      expect(await both.verifyDetailed(bytes, signed)).toEqual({ event, secretIndex: 0 })
    })
  })

  describe('options that would verify nothing are refused', () => {
    test.each([0, -1, 0.5, Number.NaN, null, 'soon'])('toleranceSec %s', (toleranceSec) => {
      expect(() => createVerifier({ secrets, toleranceSec: toleranceSec as number })).toThrow(
        new RangeError('toleranceSec must be at least 1; Infinity is no limit'),
      )
    })
    test.each([0, Number.NaN])('bodyMaxBytes %s', (bodyMaxBytes) => {
      expect(() => createVerifier({ secrets, bodyMaxBytes })).toThrow(
        new RangeError('bodyMaxBytes must be at least 1; Infinity is no limit'),
      )
    })
    test.each([
      [''],
      [undefined],
      [32],
      [new Uint8Array()],
      [new DataView(new ArrayBuffer(0))],
      [['good', '']],
    ])('secrets %o', (secrets) => {
      expect(() => createVerifier({ secrets: secrets as string })).toThrow(
        new TypeError('a secret must be a non-empty string or Uint8Array'),
      )
    })
    test.each(['tolerance', 'secret', 'onRefused'])('the unknown option %s', (name) => {
      expect(() => createVerifier({ secrets, [name]: 1 })).toThrow(new TypeError(`${name} is no option`))
    })
    test.each([undefined, null])('%s instead of options', (none) => {
      expect(() => createVerifier(none as never)).toThrow(
        new TypeError('a secret must be a non-empty string or Uint8Array'),
      )
    })
    test('no secret', () => {
      expect(() => createVerifier({ secrets: [] })).toThrow(new TypeError('secrets is empty'))
    })
  })
})
