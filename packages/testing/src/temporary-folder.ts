import { mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Places {
  readonly memoryFolder: string
  readonly roomMinBytes: number
}

/** Linux keeps the files in /dev/shm in memory (tmpfs). A run of all tests has 1.3 GB there at most. */
const PLACES: Places = { memoryFolder: '/dev/shm', roomMinBytes: 6 * 1_024 ** 3 }

export interface TemporaryFolder {
  readonly path: string
  readonly isInMemory: boolean
}

/**
 * Makes a folder for files that a test run creates and removes all the time: in memory if there is room, or else among
 * the system's temporary files. A test database has some 760 files. Before ext4 gives a new file an inode, it looks at
 * each one that was freed in the last minutes: that took a fifth of the processor time of all tests.
 */
export async function makeTemporaryFolder(prefix: string, places = PLACES): Promise<TemporaryFolder> {
  const isInMemory = await hasRoomInMemory(places)
  return { path: await mkdtemp(join(isInMemory ? places.memoryFolder : tmpdir(), prefix)), isInMemory }
}

async function hasRoomInMemory({ memoryFolder, roomMinBytes }: Places): Promise<boolean> {
  const room = await statfs(memoryFolder).catch(() => null)
  if (room === null) return false
  return Math.min(room.bavail * room.bsize, process.availableMemory()) >= roomMinBytes
}
