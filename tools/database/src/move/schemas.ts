import { differencesOf, readState } from '@merchant-payments/db'
import type { Cell } from './cell.ts'

/**
 * How the schemas of the cells differ from this release, which names the tables of a merchant. A table of another release
 * would be neither copied, nor compared, nor removed.
 */
export async function findSchemaFaults(...cells: readonly Cell[]): Promise<string[]> {
  const faults: string[] = []
  for (const { name, client } of cells) {
    const { migrations, unknown } = await readState(client)
    // A contract migration comes only when the releases before are gone, and adds no table. An invalid index, such as one
    // that is being built, keeps no row back.
    const due = migrations.filter(
      ({ migration, applied }) => applied !== null || migration.phase === 'expand',
    )
    const differences = differencesOf({ migrations: due, unknown, invalidIndexes: [] })
    if (differences.length > 0)
      faults.push(
        `the schema of ${name} is not that of this release (${differences.join(', ')}): migrate the cell, or use the tool of its release`,
      )
  }
  return faults
}
