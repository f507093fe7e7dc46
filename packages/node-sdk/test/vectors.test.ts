import { createVerifier } from '@merchant-payments/webhook-verifier'
import file from '@merchant-payments/webhook-verifier/vectors/signatures.json' with { type: 'json' }
import { describe, expect, test } from 'vitest'
import { startApi } from './api-server.ts'

/** Each body that the verifier takes with the vector's own header, but for the byte order mark, which no answer of the API has. */
const BYTE_ORDER_MARK = '77u/'
const good = file.vectors
  .filter(({ body_base64 }) => !body_base64.startsWith(BYTE_ORDER_MARK))
  .filter(({ verdicts }) =>
    verdicts.some(
      ({ verdict, ...changed }) => verdict === 'ok' && !('body_base64' in changed || 'header' in changed),
    ),
  )

/** A webhook that was missed is read by its id instead (spec 6.3.9): whoever handles one handles the other. */
describe.each(good)('vector: $name', ({ secrets, timestamp, header, body_base64 }) => {
  test('the event read is the event that a webhook of the same bytes verifies to', async () => {
    const body = Buffer.from(body_base64, 'base64')
    const verifier = createVerifier({ secrets, now: () => timestamp * 1_000 })
    const { client } = await startApi({
      answers: [
        (response) => void response.setHeader('content-type', 'application/json; charset=utf-8').end(body),
      ],
    })
    expect(await client().events.retrieve('evt_1')).toEqual(await verifier.verify(body, header))
  })
})
