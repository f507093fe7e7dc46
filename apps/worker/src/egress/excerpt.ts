/** What a receiver may say before its connection is dropped. */
const DRAIN_MAX_BYTES = 16 * 1024

const EXCERPT_MAX_CHARACTERS = 500

/** The beginning of an answer's body, for operators to read. Never rejects: the status has decided already. */
export async function readExcerpt(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      size += chunk.byteLength
      if (size >= DRAIN_MAX_BYTES) break
    }
  } catch {
    // Cut short or too slow: what came is what there is.
  }
  return excerptOf(Buffer.concat(chunks))
}

// The database takes neither a NUL nor half of a surrogate pair, and no terminal should get an escape sequence.
const excerptOf = (bytes: Buffer): string =>
  bytes
    .toString('utf8')
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, EXCERPT_MAX_CHARACTERS)
    .toWellFormed()
