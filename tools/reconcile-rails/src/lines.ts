import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** A fault of a file, with its place. */
export class FileError extends Error {}

/** Text without a line break that is kept at most. A small packed file can hold a line that is larger than memory. */
export const REST_CHARS_MAX = 32 * 1_024 * 1_024

const PACKED = /\.gz$/i

/** The file's name as it was before it was packed. */
export const unpackedName = (path: string): string => path.replace(PACKED, '')

/**
 * The lines of a file, which may be packed by gzip.
 *
 * @throws {FileError} if it cannot be read to its end
 */
export async function* linesOf(path: string): AsyncGenerator<string, void, undefined> {
  let rest = ''
  try {
    for await (const chunk of textOf(path)) {
      rest += String(chunk)
      if (rest.length > REST_CHARS_MAX) throw new FileError(`${path}: has a line that is too long`)
      // To split at each chunk would take a long line apart again and again.
      if (!String(chunk).includes('\n')) continue
      const lines = rest.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield line.replace(/\r$/, '')
    }
  } catch (error) {
    if (error instanceof FileError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new FileError(`${path}: cannot be read (${code})`)
  }
  if (rest !== '') yield rest
}

function textOf(path: string) {
  const bytes = createReadStream(path)
  // The reader of the unpacked text gets the errors of both.
  const text = PACKED.test(path) ? pipeline(bytes, createGunzip(), () => undefined) : bytes
  return text.setEncoding('utf8')
}
