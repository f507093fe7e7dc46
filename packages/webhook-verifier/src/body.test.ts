import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { remedies } from './error.ts'
import { builds, bytes, event, forged, now, payload, secrets, signature, timestampSec } from './fixture.ts'
import { signPayload } from './testing.ts'

describe.each(builds)('the body, by $build', ({ createVerifier }) => {
  const verifier = createVerifier({ secrets, now })
  const padded = new Uint8Array([0, ...bytes, 0])
  test.each([
    ['text', payload],
    ['a Uint8Array', bytes],
    ['a Buffer', Buffer.from(payload)],
    ['an ArrayBuffer', bytes.buffer],
    ['a view into a larger buffer', padded.subarray(1, -1)],
    ['a buffer of another realm', runInNewContext('Uint8Array.from(bytes)', { bytes }) as Uint8Array],
    [
      'an ArrayBuffer of another realm',
      runInNewContext('Uint8Array.from(bytes).buffer', { bytes }) as ArrayBuffer,
    ],
  ])('may be %s', async (_, body) => {
    expect(await verifier.verify(body, signature)).toEqual(event)
  })

  test.each([
    ['a parsed object', event],
    ['an object that names a length', { byteLength: 3 }],
    ['a list of bytes', [...bytes]],
    ['a number', 1],
    ['null', null],
    ['nothing', undefined],
  ])('must not be %s', async (_, body) => {
    await expect(verifier.verify(body as never, signature)).rejects.toMatchObject({ code: 'body_not_raw' })
  })

  test.each([
    'null',
    '"event"',
    '[]',
    '{}',
    JSON.stringify({ ...event, object: 'list' }),
    JSON.stringify({ ...event, id: null }),
    JSON.stringify({ ...event, type: 1 }),
    JSON.stringify({ ...event, data: null }),
    JSON.stringify({ ...event, data: { object: null } }),
    payload.slice(0, -1),
  ])('must be an event, which %s is not', async (payload) => {
    const header = await signPayload({ payload, secrets, timestampSec })
    const refusal = await verifier.verify(payload, header).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'invalid_json', message: remedies.invalid_json })
    expect(refusal).not.toHaveProperty('cause')
  })

  test('is parsed as it was verified, even if the buffer changes meanwhile', async () => {
    const reused = Uint8Array.from(bytes)
    const outcome = verifier.verify(reused, signature)
    reused.fill(0x20)
    expect(await outcome).toEqual(event)
  })

  test('may be as large as the limit, and not one byte larger', async () => {
    const exact = createVerifier({ secrets, now, bodyMaxBytes: bytes.length })
    const tight = createVerifier({ secrets, now, bodyMaxBytes: bytes.length - 1 })
    expect(await exact.verify(bytes, signature)).toEqual(event)
    await expect(tight.verify(bytes, signature)).rejects.toMatchObject({ code: 'payload_too_large' })
  })

  test('is limited to 1 MiB by default, counted in bytes of UTF-8', async () => {
    const text = 'é'.repeat(524_288)
    await expect(verifier.verify(text, forged)).rejects.toMatchObject({ code: 'signature_mismatch' })
    await expect(verifier.verify(`${text} `, forged)).rejects.toMatchObject({ code: 'payload_too_large' })
  })
})
