import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { exitCodes, Failure, systemCodeOf, withFile } from './failure.ts'

/** Where `listen` stopped, and what it signs with. */
export interface Place {
  /** The last event that was delivered; null before the first. */
  readonly cursor: string | null
  readonly secret: string
}

const PRIVATE_MODE = 0o600
const HASH_CHARS = 16

/** A file for each merchant and address, so that several can be followed at once. */
export function placeFileOf(...parts: readonly string[]): string {
  const hash = createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, HASH_CHARS)
  const state = process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state')
  return join(state, 'merchant-payments', `listen-${hash}.json`)
}

export async function readPlace(file: string): Promise<Place | null> {
  const read = readFile(file, 'utf8').catch((error: unknown) => {
    if (systemCodeOf(error) === 'ENOENT') return null
    throw error
  })
  const text = await withFile(file, read)
  if (text === null) return null
  try {
    const { cursor, secret } = JSON.parse(text) as Place
    if (typeof secret === 'string' && (cursor === null || typeof cursor === 'string'))
      return { cursor, secret }
  } catch {
    // The parser's message would quote the secret.
  }
  throw new Failure(`${file} is not a file of listen: remove it, or choose another --state`, exitCodes.usage)
}

/** Readers see the old file or the new one, never a part. */
export const writePlace = (file: string, place: Place): Promise<void> => withFile(file, replace(file, place))

async function replace(file: string, place: Place): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  // Another `listen` may keep its place in the same file.
  const draft = `${file}.${randomUUID()}.draft`
  try {
    await writeFile(draft, `${JSON.stringify(place)}\n`, { mode: PRIVATE_MODE })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
