import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const folder = process.env['RECORD_STATEMENTS']

// `release:record` sets the folder, and collects the statements that each test file prepares.
if (folder !== undefined) {
  const { preparedTexts } = await import('./packages/db/src/named-client.ts')
  const file = join(folder, `${randomBytes(8).toString('hex')}.json`)
  afterAll(() => writeFile(file, JSON.stringify(preparedTexts())))
}
