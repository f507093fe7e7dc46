import { openDatabase, type Placing, statement } from '@merchant-payments/db'
import { sql } from 'kysely'
import { batchWrites, type SharedWrite } from '../../src/commit/writes.ts'

// Many requests at a time write in shared statements, as in an api under load.

const REQUESTERS = 32
const WRITES = 60_000
const ROWS_OF_ITEM = 60

interface Item {
  readonly n: number
  readonly rows: readonly object[]
}

const [url = ''] = process.argv.slice(2)
const db = openDatabase({
  url,
  poolSize: 8,
  readConnections: 0,
  applicationName: 'test',
  namedStatements: true,
  onConnectionLost: (error) => {
    throw error
  },
})
const echo = statement<{ items: string }, { n: string }>(
  (value: Placing<{ items: string }>) =>
    sql`select item->>'n' as n from jsonb_array_elements(${value('items')}::jsonb) item`,
)
const shared: SharedWrite<Item, { n: string }> = {
  write: async (writer, items) => [...(await echo(writer, { items: JSON.stringify(items) }))],
  identitiesOf: ({ n }) => [String(n)],
  ownerOf: () => 'merchant',
  itemsMax: 64,
}
const writes = batchWrites(db.writer)
let written = 0
await Promise.all(
  Array.from({ length: REQUESTERS }, async () => {
    while (written < WRITES) {
      written += 1
      await writes.together(shared, {
        n: written,
        rows: Array.from({ length: ROWS_OF_ITEM }, (_, row) => ({ row })),
      })
    }
  }),
)
await db.close()
