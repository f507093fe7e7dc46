import { untilWritable, type WaitOptions } from './boot.ts'
import { type DatabaseOptions, openDatabase } from './database.ts'
import { migrate } from './migrations/migrate.ts'
import { requireSchema } from './migrations/state.ts'
import { findModeFaults } from './mode.ts'
import { readConnectionLimit } from './pool-sizes.ts'
import { findRoleFaults } from './role.ts'

interface PrepareOptions
  extends Pick<DatabaseOptions, 'url' | 'servers' | 'namedStatements' | 'onConnectionLost'>,
    WaitOptions {
  /** Applies the expand phase first. The login must own the schema. */
  readonly migrateOnBoot: boolean
  readonly livemode: boolean
}

export interface Prepared {
  /** What {@link fitPools} needs. */
  readonly connectionLimit: number
  /** False in a database whose locale knows no case of accents: searches of staff then find less. */
  readonly foldsAccents: boolean
  /** The rights of the login that it must not have in livemode. */
  readonly roleFaults: readonly string[]
  readonly modeFaults: readonly string[]
}

/**
 * Waits until the database takes writes and requires the schema of this code, over one connection that it closes.
 *
 * @throws what `untilWritable` throws, and a `SchemaBehindError`
 */
export async function prepareDatabase(options: PrepareOptions): Promise<Prepared> {
  const db = openDatabase({
    url: options.url,
    servers: options.servers,
    poolSize: 1,
    readConnections: 0,
    applicationName: 'merchant-payments-start',
    namedStatements: options.namedStatements,
    onConnectionLost: options.onConnectionLost,
  })
  try {
    const { foldsAccents } = await untilWritable(db.reader, options)
    if (options.migrateOnBoot) await migrate(options.url, { phase: 'expand' })
    await requireSchema(db.reader)
    return {
      foldsAccents,
      connectionLimit: await readConnectionLimit(db.reader),
      roleFaults: await findRoleFaults(db.reader),
      modeFaults: await findModeFaults(db.reader, options.livemode),
    }
  } finally {
    await db.close()
  }
}
