const DRAIN_MAX_BYTES = 16 * 1024

const EXCERPT_MAX_CHARACTERS = 500

/**
 * The first characters of an answer's body, for operators to read. Never rejects, because the status already
 * decided the result.
 */
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
    // A body that breaks off or is too slow yields what was read so far.
  }
  return excerptOf(Buffer.concat(chunks))
}

// PostgreSQL accepts neither NUL nor half of a surrogate pair, and terminals must not receive escape
// sequences.
const excerptOf = (bytes: Buffer): string =>
  bytes
    .toString('utf8')
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, EXCERPT_MAX_CHARACTERS)
    .toWellFormed()
