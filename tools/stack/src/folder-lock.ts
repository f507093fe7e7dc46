import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { tryLock } from 'fs-native-extensions'

const TRIES_MAX = 3

/**
 * Takes the folder for this process, until the function returned is called or the process ends, however it ends. The
 * kernel holds the lock: a process id in a file would not do, because after a crash or in a container another process
 * soon has the same.
 *
 * @throws if another process holds the lock
 */
export async function lockFolder(folder: string): Promise<() => void> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, 'dev.lock')
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const file = openSync(path, 'a')
    if (!tryLock(file)) {
      closeSync(file)
      const pid = readFileSync(path, 'utf8')
      throw new Error(`process ${pid} already runs the system on ${folder}: stop it first (Ctrl-C)`)
    }
    if (isAt(path, file)) {
      ftruncateSync(file)
      writeSync(file, String(process.pid))
      return () => {
        rmSync(path, { force: true })
        closeSync(file)
      }
    }
    closeSync(file)
  }
  throw new Error(`${path} cannot be taken`)
}

/** Not if its holder has removed it since it was opened: whoever comes next opens another file. */
function isAt(path: string, file: number): boolean {
  return statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(file).ino
}
