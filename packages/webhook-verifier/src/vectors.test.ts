import { describe, expect, test } from 'vitest'
import file from '../vectors/signatures.json' with { type: 'json' }
import { builds } from './fixture.ts'
import { signPayload } from './testing.ts'

describe.each(file.vectors)('vector: $name', (vector) => {
  const body = Buffer.from(vector.body_base64, 'base64')

  test('the signer produces the header [§6.3.4]', async () => {
    const { secrets, timestamp: timestampSec } = vector
    expect(await signPayload({ payload: body, secrets, timestampSec })).toBe(vector.header)
  })

  describe.each(builds)('$build', ({ createVerifier }) => {
    test.each<Verdict>(vector.verdicts)('$name: $verdict', async (verdict) => {
      const verifier = createVerifier({
        secrets: verdict.secrets ?? vector.secrets,
        now: () => verdict.now * 1_000,
      })
      const received = verdict.body_base64 === undefined ? body : Buffer.from(verdict.body_base64, 'base64')
      const outcome = verifier.verifyDetailed(received, verdict.header ?? vector.header)
      if (verdict.verdict === 'ok') {
        const event: unknown = JSON.parse(new TextDecoder().decode(received))
        expect(await outcome).toEqual({ event, secretIndex: verdict.secret_index })
      } else {
        await expect(outcome).rejects.toMatchObject({
          name: 'WebhookVerificationError',
          code: verdict.verdict,
        })
      }
    })
  })
})

interface Verdict {
  name: string
  now: number
  verdict: string
  secret_index?: number
  secrets?: string[]
  body_base64?: string
  header?: string
}
