import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const FLAGS = [
  '--trace-gc-nvp',
  '--max-semi-space-size=4',
  // Full collections move all that is live, so none may be due.
  '--initial-old-space-size=512',
  '--max-old-space-size=1024',
]
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024
/** A script that hangs is ended, and does not outlive its test. */
const SCRIPT_MAX_MS = 60_000
/** Only the second half counts, because the young space grows during the first collections. */
const COLLECTIONS_MIN = 40

/**
 * Runs a script with small young collections.
 *
 * @throws if the script fails, lasts longer than a minute or has too few collections
 * @returns the share of its later allocations that V8 moved to the old space because they outlived two young
 * collections. An object that nothing needs is among them if a dead object in the old space refers to it: young
 * collections take all of the old space for live.
 */
export async function promotedShare(script: URL, args: readonly string[] = []): Promise<number> {
  const command = [...FLAGS, fileURLToPath(script), ...args]
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    maxBuffer: OUTPUT_BYTES_MAX,
    timeout: SCRIPT_MAX_MS,
    killSignal: 'SIGKILL',
  })
  const young = stdout.split('\n').filter((line) => line.includes(' gc=s '))
  if (young.length < COLLECTIONS_MIN) throw new Error(`only ${young.length} young collections: allocate more`)
  const later = young.slice(young.length / 2)
  return sumOf(later, 'promoted') / sumOf(later, 'allocated')
}

const sumOf = (lines: readonly string[], name: string): number =>
  lines.reduce((sum, line) => sum + Number(new RegExp(` ${name}=(\\d+)`).exec(line)?.[1]), 0)
