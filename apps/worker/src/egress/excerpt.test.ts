import { expect, test } from 'vitest'
import { readExcerpt } from './excerpt.ts'

async function* bodyOf(...chunks: (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

test('keeps the beginning of the body, across chunks', async () => {
  expect(await readExcerpt(bodyOf('un', 'e rép', 'onse'))).toBe('une réponse')
  expect(await readExcerpt(bodyOf())).toBe('')
  expect(await readExcerpt(bodyOf('x'.repeat(499), 'yz'))).toBe(`${'x'.repeat(499)}y`)
})

test('replaces characters that the database or a terminal could not accept', async () => {
  expect(await readExcerpt(bodyOf('a\u0000b\u001b[31m\r\n'))).toBe('a b [31m  ')
  expect(await readExcerpt(bodyOf(Buffer.from([0xff, 0x61])))).toBe('\ufffda')
  expect(await readExcerpt(bodyOf(`${'x'.repeat(499)}😀`))).toBe(`${'x'.repeat(499)}\ufffd`)
})

test('reads an endless body only up to the limit, and closes it', async () => {
  let chunks = 0
  let closed = false
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        chunks += 1
        yield Buffer.alloc(1024, 'x')
      }
    } finally {
      closed = true
    }
  }

  expect(await readExcerpt(endless())).toBe('x'.repeat(500))
  expect({ chunks, closed }).toEqual({ chunks: 16, closed: true })
})

test('keeps what arrived of a body that breaks off', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('half an ans')
    throw new Error('ECONNRESET')
  }

  expect(await readExcerpt(broken())).toBe('half an ans')
})
