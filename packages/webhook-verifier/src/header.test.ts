import { describe, expect, test } from 'vitest'
import { builds, bytes, event, forged, now, secrets, signature } from './fixture.ts'

describe.each(builds)('the signature header, by $build', ({ createVerifier }) => {
  const verifier = createVerifier({ secrets, now })

  test.each([
    ['Fetch headers', new Headers({ 'Service-Signature': signature })],
    ['headers of Node', { 'service-signature': signature }],
    ['an object that kept the capitals', { 'SERVICE-SIGNATURE': signature }],
    ['a list of one', { 'service-signature': [signature] }],
    ['the name of the compatible API, in Fetch headers', new Headers({ 'Compat-Signature': signature })],
    ['the name of the compatible API', { 'compat-signature': signature }],
    [
      'both names, of which the own one counts',
      { 'compat-signature': forged, 'service-signature': signature },
    ],
    [
      'an empty own name beside the compatible one',
      { 'service-signature': '', 'compat-signature': signature },
    ],
  ])('is found in %s', async (_, headers) => {
    expect(await verifier.verify(bytes, headers)).toEqual(event)
  })

  test.each([
    ['no header at all', {}],
    ['another header', { 'stripe-signature': signature }],
    ['an undefined value', { 'service-signature': undefined }],
    ['an empty list', { 'service-signature': [] }],
    ['no headers', undefined],
  ])('is missing from %s', async (_, headers) => {
    await expect(verifier.verify(bytes, headers as never)).rejects.toMatchObject({ code: 'missing_header' })
  })

  test('is ambiguous, and refused, if it is sent twice', async () => {
    const twice = new Headers({ 'Service-Signature': signature })
    twice.append('Service-Signature', forged)
    const code = 'malformed_header'
    await expect(verifier.verify(bytes, twice)).rejects.toMatchObject({ code })
    await expect(verifier.verify(bytes, { 'service-signature': [signature, forged] })).rejects.toMatchObject({
      code,
    })
  })

  test('can have another name, which is then the only one read', async () => {
    const aliased = createVerifier({ secrets, now, header: 'Stripe-Signature' })
    expect(await aliased.verify(bytes, { 'stripe-signature': signature })).toEqual(event)
    expect(await aliased.verify(bytes, new Headers({ 'stripe-signature': signature }))).toEqual(event)
    await expect(aliased.verify(bytes, { 'service-signature': signature })).rejects.toMatchObject({
      code: 'missing_header',
    })
  })
})
