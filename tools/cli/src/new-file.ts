import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { exitCodes, Failure } from './failure.ts'

const PRIVATE_MODE = 0o600
const PUBLIC_MODE = 0o644

/** Writes a file that does not exist yet. A secret one is readable by its owner alone. */
export async function writeNew(
  path: string,
  text: string,
  { isSecret }: { isSecret: boolean },
): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  try {
    await writeFile(path, text, { flag: 'wx', mode: isSecret ? PRIVATE_MODE : PUBLIC_MODE })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    throw new Failure(`${path} exists already`, exitCodes.usage, [
      'remove it, or choose another --out folder',
    ])
  }
}
