import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'

const folder = new URL('../migrations/', import.meta.url)

/** Brings an empty schema to an older version, as the release of that version did. */
export async function migrateUpTo(client: pg.Client, version: number): Promise<void> {
  await client.query(
    'create table schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())',
  )
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  for (const name of names.slice(0, version)) {
    const text = await readFile(new URL(name, folder), 'utf8')
    const checksum = createHash('sha256').update(text).digest('hex')
    await client.query(text)
    const row = [Number(name.slice(0, 4)), name, checksum]
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', row)
  }
}
