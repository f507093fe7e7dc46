import { readFile, rename, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

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

/** What an operator types at haproxy's socket. */
export const commandOf = ({ map, key, cell }: Route, maps: string): string =>
  `set map ${join(maps, map)} ${key} ${cell}`

/**
 * Writes the map's file, which haproxy reads at its start, then changes the map of the running haproxy. Both can be done
 * again.
 */
export async function applyRoute(route: Route, { maps, socket }: Edge): Promise<void> {
  const file = join(maps, route.map)
  const lines = (await readFile(file, 'utf8')).split('\n')
  const isOfKey = (line: string) => line.trim().split(/\s+/)[0] === route.key
  const kept = lines.filter((line) => line !== '' && !isOfKey(line))
  const draft = `${file}.draft`
  await writeFile(draft, `${[...kept, `${route.key} ${route.cell}`].join('\n')}\n`)
  await rename(draft, file)
  if (socket === null) return
  const said = await tell(socket, commandOf(route, maps))
  // A map without the key takes no "set".
  if (said === '') return
  const added = await tell(socket, commandOf(route, maps).replace(/^set/, 'add'))
  if (added !== '') throw new Error(`haproxy refused ${commandOf(route, maps)}: ${said}`)
}

async function tell(socket: string, command: string): Promise<string> {
  const connection = createConnection(socket)
  connection.end(`${command}\n`)
  return (await text(connection)).trim()
}
