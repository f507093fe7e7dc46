import { readdir, readFile } from 'node:fs/promises'
import { type ReleasedServers, unpackServers } from '@merchant-payments/testing/released-servers'

const FOLDER = new URL('../../packages/db/releases/', import.meta.url)
const PACKED = '.servers.br'

/** The releases whose servers `release:servers` has packed, the oldest first. */
export const packedReleases: readonly string[] = (await readdir(FOLDER))
  .filter((name) => name.endsWith(PACKED))
  .map((name) => name.slice(0, -PACKED.length))
  .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))

export const unpackRelease = async (release: string, folder: string): Promise<ReleasedServers> =>
  unpackServers(await readFile(new URL(release + PACKED, FOLDER)), folder)
