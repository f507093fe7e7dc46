import { createVerifier } from '@merchant-payments/webhook-verifier'
import vectors from '@merchant-payments/webhook-verifier/vectors/signatures.json' with { type: 'json' }
import { describe, expect, test } from 'vitest'
import { createSigner } from './signature.ts'

describe('the headers of the published vectors [§6.3.3]', () => {
  test.each(vectors.vectors)('$name', ({ secrets, timestamp, body_base64, header }) => {
    expect(createSigner(secrets)(timestamp, Buffer.from(body_base64, 'base64'))).toBe(header)
  })
})

test('during a rotation the published verifier accepts either secret [§6.3.4]', async () => {
  const secrets = ['old_secret_0123456789abcdef0123456789', 'new_secret_0123456789abcdef0123456789']
  const body = Buffer.from(
    '{"id":"evt_1","object":"event","type":"x","created":1,"livemode":false,"data":{"object":{}}}',
  )
  const header = createSigner(secrets)(1_700_000_000, body)

  expect(header).toMatch(/^t=1700000000,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
  for (const secret of secrets) {
    const verifier = createVerifier({ secrets: secret, now: () => 1_700_000_000_000 })
    expect(await verifier.verify(body, { 'service-signature': header })).toEqual(JSON.parse(body.toString()))
  }
})
