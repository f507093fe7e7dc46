import { access, mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { exitCodes, Failure, systemCodeOf, withFile } from './failure.ts'

const PRIVATE_MODE = 0o600
const PUBLIC_MODE = 0o644

/** Writes a file that does not exist yet. A secret one is readable by its owner alone. */
export async function writeNew(
  path: string,
  text: string,
  { isSecret }: { isSecret: boolean },
): Promise<void> {
  await withFile(path, mkdir(dirname(path), { recursive: true }))
  const written = writeFile(path, text, { flag: 'wx', mode: isSecret ? PRIVATE_MODE : PUBLIC_MODE })
  await withFile(
    path,
    written.catch((error: unknown) => {
      throw systemCodeOf(error) === 'EEXIST' ? existsAlready(path) : error
    }),
  )
}

/** Before the first of several files is written, so that a refusal leaves none of them behind. */
export async function refuseExisting(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    )
    if (isThere) throw existsAlready(path)
  }
}

const existsAlready = (path: string): Failure =>
  new Failure(`${path} exists already`, exitCodes.usage, ['remove it, or choose another --out folder'])
