import { inject } from 'vitest'
import { withClient } from './client.ts'

/** Any number that nothing else locks on the server of the tests. */
const PACKING = 5_017

/**
 * Runs `pack` while no other test of this run packs. A package is built in its own folder before it is packed, and the
 * build removes `dist` first. A second pack at that time would find half of the files.
 */
export async function packAlone<T>(pack: () => Promise<T>): Promise<T> {
  // The lock ends with the connection.
  return withClient(inject('postgres').serverUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [PACKING])
    return pack()
  })
}
