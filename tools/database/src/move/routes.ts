import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

/** A line of a map of haproxy, by its file. */
export interface Route {
  readonly map: 'clients.map' | 'keys.map'
  readonly key: string
  readonly cell: string
}

/** Where haproxy reads its maps, and where it takes commands. */
export interface Edge {
  readonly maps: string
  readonly socket: string | null
}

/** What an operator types at haproxy's socket: `set`, or `add` for a key without a line, which `set` does not find. */
export const commandsOf = ({ map, key, cell }: Route, maps: string) => ({
  set: `set map ${join(maps, map)} ${key} ${cell}`,
  add: `add map ${join(maps, map)} ${key} ${cell}`,
})

/** How often a run looks whether another one has written the map. */
const DRAFT_TRIES_MAX = 100
const DRAFT_POLL_MS = 50
/** The merchant is closed while haproxy is told. It answers at once, unless it hangs. */
const ANSWER_MAX_MS = 5_000

/**
 * Changes the map of the running haproxy, then writes the map's file, which haproxy reads at its start. Both can be done
 * again.
 */
export async function applyRoute(route: Route, { maps, socket }: Edge): Promise<void> {
  if (socket !== null) await tellRoute(socket, route, maps)
  await writeRoute(join(maps, route.map), route)
}

/** Only who has made the draft writes the map. Otherwise two moves at once would lose the line of one. */
async function writeRoute(file: string, { key, cell }: Route): Promise<void> {
  const draft = `${file}.draft`
  const handle = await makeDraft(draft)
  try {
    const lines = (await readFile(file, 'utf8')).split('\n')
    const kept = lines.filter((line) => line !== '' && line.trim().split(/\s+/)[0] !== key)
    await keepRights(handle, file)
    await handle.writeFile(`${[...kept, `${key} ${cell}`].join('\n')}\n`)
    // A rename can outlive a power cut that the file's lines do not.
    await handle.sync()
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  await syncFolder(dirname(file))
}

const READ_BY_ALL = 0o004
const PERMISSIONS = 0o7777

/** Gives the draft the owner, the group and the mode of the file, by which haproxy reads it. */
async function keepRights(draft: FileHandle, file: string): Promise<void> {
  const { uid, gid, mode } = await stat(file)
  await draft.chown(uid, gid).catch((error: unknown) => {
    if ((mode & READ_BY_ALL) !== 0) return
    throw new Error(`${file} belongs to others, who could not read it any more: switch again as root`, {
      cause: error,
    })
  })
  await draft.chmod(mode & PERMISSIONS)
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function makeDraft(draft: string): Promise<FileHandle> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await open(draft, 'wx')
    } catch (error) {
      const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
      if (!isThere) throw error
      if (tries === DRAFT_TRIES_MAX)
        throw new Error(
          `${draft} is there: another run writes the map, or one has died. Remove it, and switch again`,
          {
            cause: error,
          },
        )
      await delay(DRAFT_POLL_MS)
    }
  }
}

async function tellRoute(socket: string, route: Route, maps: string): Promise<void> {
  const { set, add } = commandsOf(route, maps)
  const said = await tell(socket, set)
  if (said === '') return
  const added = await tell(socket, add)
  if (added !== '') throw new Error(`haproxy refused ${set}: ${said}`)
}

async function tell(socket: string, command: string): Promise<string> {
  const connection = createConnection(socket)
  connection.setTimeout(ANSWER_MAX_MS, () =>
    connection.destroy(new Error(`haproxy did not answer at ${socket} within ${ANSWER_MAX_MS / 1_000} s`)),
  )
  connection.end(`${command}\n`)
  return (await text(connection)).trim()
}
