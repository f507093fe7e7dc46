import { describe, expect, test } from 'vitest'
import { builds, bytes, event, now, secrets, signature, timestampSec } from './fixture.ts'
import { signPayload } from './testing.ts'

describe.each(builds)('a Fetch request, by $build', ({ createVerifier }) => {
  const verifier = createVerifier({ secrets, now })

  test('is read and verified', async () => {
    expect(await verifier.verifyRequest(post(bytes))).toEqual(event)
  })

  test('may arrive in pieces', async () => {
    const pieces = [bytes.subarray(0, 7), bytes.subarray(7, 7), bytes.subarray(7)]
    expect(await verifier.verifyRequest(post(ReadableStream.from(pieces)))).toEqual(event)
  })

  test('without a body has an empty one', async () => {
    const signed = await signPayload({ payload: '', secrets, timestampSec })
    await expect(verifier.verifyRequest(post(null, signed))).rejects.toMatchObject({ code: 'invalid_json' })
  })

  test('is not read above the limit, and its stream is canceled', async () => {
    const chunk = new Uint8Array(65_536)
    let chunks = 0
    let canceled = false
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1
        controller.enqueue(chunk)
      },
      cancel() {
        canceled = true
      },
    })
    await expect(verifier.verifyRequest(post(endless))).rejects.toMatchObject({ code: 'payload_too_large' })
    expect(canceled).toBe(true)
    expect(chunks).toBeLessThan(20)
  })

  test('is not read if its header cannot be valid', async () => {
    const request = post(bytes, 't=1,v1=')
    await expect(verifier.verifyRequest(request)).rejects.toMatchObject({ code: 'timestamp_too_old' })
    expect(request.bodyUsed).toBe(false)
  })

  test('that was read before is body_not_raw', async () => {
    const request = post(bytes)
    await request.json()
    await expect(verifier.verifyRequest(request)).rejects.toMatchObject({ code: 'body_not_raw' })
  })

  test('that was partly read is body_not_raw', async () => {
    const request = post(bytes)
    const reader = request.body?.getReader()
    await reader?.read()
    reader?.releaseLock()
    await expect(verifier.verifyRequest(request)).rejects.toMatchObject({ code: 'body_not_raw' })
  })

  test('that is being read elsewhere is body_not_raw', async () => {
    const request = post(bytes)
    request.body?.getReader()
    await expect(verifier.verifyRequest(request)).rejects.toMatchObject({ code: 'body_not_raw' })
  })
})

function post(body: Uint8Array<ArrayBuffer> | ReadableStream | null, header = signature): Request {
  const headers = { 'Service-Signature': header }
  return new Request('https://shop.example/webhooks', { method: 'POST', headers, body, duplex: 'half' })
}
